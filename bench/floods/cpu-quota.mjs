import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../tools/workspace/error-fields.mjs';

const PERIOD_MICROSECONDS = 100_000;
/** Of cgroups of version 2, and of the controller of version 1. */
const FOLDERS = ['/sys/fs/cgroup', '/sys/fs/cgroup/cpu'];

/**
 * Bounds the CPU time of a process, so that a load generator does not take that of the servers on the same machine: by a cgroup of its
 * own where this user can create one, else by the lowest priority.
 * @param {number} pid
 * @param {number} processors
 * @returns {{ readonly how: string, remove(): void }} `remove` is for after the end of the process.
 */
export function limitProcessor(pid, processors) {
  const quota = Math.round(PERIOD_MICROSECONDS * processors);
  for (const parent of FOLDERS) {
    // Where version 1 is mounted, the parent of its controllers is no cgroup.
    if (!existsSync(join(parent, 'cgroup.procs'))) continue;
    const folder = join(parent, `millrace-bench-${pid}`);
    try {
      mkdirSync(folder);
    } catch {
      continue;
    }
    try {
      if (existsSync(join(folder, 'cpu.max')))
        writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_MICROSECONDS}`);
      else writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
      return { how: `a cgroup with ${processors} CPU`, remove: () => removeGroup(folder) };
    } catch {
      removeGroup(folder);
    }
  }
  setPriority(pid, constants.priority.PRIORITY_LOW);
  return { how: 'the lowest priority', remove: () => undefined };
}

/** @param {string} folder */
function removeGroup(folder) {
  try {
    rmdirSync(folder);
  } catch (error) {
    // It is busy for a moment after the end of its process, and an empty one bounds nothing.
    console.error(`the cgroup ${folder} stays: ${messageOf(error)}`);
  }
}
