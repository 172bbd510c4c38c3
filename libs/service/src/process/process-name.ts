import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/**
 * Returns a new name for this process, such as `host-4711-9f86d0`: unique among all processes that use the same servers,
 * also after a restart with the same process id.
 */
export function processName(host: string = hostname()): string {
  return `${host}-${process.pid}-${randomBytes(3).toString('hex')}`;
}
