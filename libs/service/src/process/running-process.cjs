// Plain JavaScript without dependencies: tools ask before anything is installed or built.
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');

/**
 * Returns the start time of the process with this id, as the system formats it; undefined when there is no such
 * process, or it has ended and its parent has not yet asked for its exit status (a zombie, which stays for good where the
 * first process of a container asks for none). The time distinguishes two processes that had the same id one after the
 * other.
 * @param {number} pid
 * @returns {string | undefined}
 */
function processStart(pid) {
  if (!exists(pid)) return undefined;
  return process.platform === 'linux' ? linuxStart(pid) : portableStart(pid);
}

/**
 * Returns whether the process with this id runs.
 * @param {number} pid
 */
function isRunning(pid) {
  return processStart(pid) !== undefined;
}

/** @param {number} pid */
function exists(pid) {
  try {
    // eslint-disable-next-line no-restricted-syntax -- the one place that also recognizes zombies
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled, but it exists.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Reads the 22nd field of /proc/<pid>/stat; the second one, a name in parentheses, can contain spaces.
 * @param {number} pid
 */
function linuxStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function portableStart(pid) {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 2_000,
    }).trim();
  } catch {
    return 'unknown';
  }
}

module.exports = { isRunning, processStart };
