/**
 * Returns the message of a caught value.
 * @param {unknown} error
 * @returns {string}
 */
export function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the code of a caught error, such as `ENOENT` or a SQLSTATE; undefined without one.
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function codeOf(error) {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
