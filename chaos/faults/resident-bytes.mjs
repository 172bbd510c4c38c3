import { readFileSync } from 'node:fs';

/**
 * Returns the resident memory of a process and its descendants: the broker's first process is a shell.
 * @param {number | string | undefined} pid
 * @returns {number}
 */
export function residentBytes(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
    return children === ''
      ? own
      : children.split(' ').reduce((sum, child) => sum + residentBytes(child), own);
  } catch {
    return 0;
  }
}
