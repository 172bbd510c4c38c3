import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When the process of this id was started, as the system writes it; undefined when there is no such process. Two
 * processes that got the same id one after the other differ in it.
 */
export function processStart(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined;
  return process.platform === 'linux' ? linuxStart(pid) : portableStart(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process may not be asked, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The twenty-second field of /proc/<pid>/stat; the second one, a name in brackets, may contain blanks. */
function linuxStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A process that has ended and was not yet collected by its parent holds nothing any more.
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function portableStart(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 2_000,
    }).trim();
  } catch {
    return 'unknown';
  }
}
