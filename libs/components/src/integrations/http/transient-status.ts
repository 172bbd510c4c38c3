/** Returns whether a server that refuses a call with this status can accept the same call later. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}
