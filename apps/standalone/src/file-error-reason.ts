/**
 * Returns why a file system call failed: Node's text without the call and the path, as in `permission denied (EACCES)`.
 */
export function fileErrorReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words = /^[A-Z\d]+: ([^,]+)/.exec(message)?.[1];
  return words === undefined ? message : `${words} (${code})`;
}
