import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collectGarbage = runInNewContext('gc');

/**
 * @typedef {object} Usage
 * @property {number} rss bytes
 * @property {number} heap bytes that are used after a full garbage collection
 * @property {number} external bytes
 * @property {number} descriptors
 * @property {number} children
 */

/**
 * Resolves to what this process uses. Objects with finalizers need a second collection.
 * @returns {Promise<Usage>}
 */
export async function readUsage() {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await pause(20);
  }
  const { rss, heapUsed: heap, external } = process.memoryUsage();
  const descriptors = readdirSync('/proc/self/fd').length;
  return { rss, heap, external, descriptors, children: childrenOf(process.pid) };
}

/**
 * Returns the resident bytes of another process; 0 when it has ended.
 * @param {number | undefined} pid
 */
export function residentBytes(pid) {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** @param {number} pid */
function childrenOf(pid) {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).length;
}

/** @param {number} bytes */
export function megabytes(bytes) {
  return (bytes / 1e6).toFixed(1);
}
