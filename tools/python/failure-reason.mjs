/** What the outputs of pip and uv say, and what it means. The first that matches counts. */
const REASONS = /** @type {const} */ ([
  [/No space left on device|os error 28\b|ENOSPC/i, 'The disk is full'],
  [
    /DO NOT MATCH THE HASHES|Hash mismatch/i,
    'A package that was downloaded does not have the hash of the lock file',
  ],
  [
    /Hashes are required|must have a hash/i,
    'The lock file has packages without a hash; `uv pip compile --generate-hashes` writes them',
  ],
  [
    /name resolution|Connection refused|ConnectTimeout|dns error|error sending request|Network is unreachable|tcp connect error|timed out|ProxyError|SSLError|certificate/i,
    'The package index cannot be reached',
  ],
  [
    /No matching distribution|no usable wheels|has no wheels|no wheels with a matching|No solution found/i,
    'A package of the lock file has no wheel for this Python and this machine',
  ],
  [/took longer than \d+ ms/, 'A step did not end in time'],
  [/ensurepip is not available|No module named (?:pip|venv|ensurepip)/i, 'Python cannot create environments'],
]);

const MAXIMUM_LINE = 160;

/** @param {string} output */
export const isDiskFull = (output) => REASONS[0][0].test(output);

/**
 * Returns one sentence for a failed step, without its end, with the line of its output that says what failed.
 * @param {string} output
 */
export function failureReason(output) {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  for (const [pattern, meaning] of REASONS) {
    const line = lines.findLast((one) => pattern.test(one));
    if (line !== undefined) return `${meaning} (${partOf(line, pattern)})`;
  }
  return lines.at(-1)?.slice(0, MAXIMUM_LINE) ?? 'unknown reason';
}

/**
 * Returns a line, or the part of a long one that matches.
 * @param {string} line
 * @param {RegExp} pattern
 */
function partOf(line, pattern) {
  if (line.length <= MAXIMUM_LINE) return line;
  const at = Math.max(0, line.search(pattern) - MAXIMUM_LINE / 4);
  return `…${line.slice(at, at + MAXIMUM_LINE)}…`;
}
