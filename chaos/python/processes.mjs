import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {{ readonly pid: number, readonly parent: number }} ListedProcess */

const ENDS_WITHIN_MILLISECONDS = 5_000;
const POLL_MILLISECONDS = 100;

/**
 * Lists the zygotes of the executors of these bundles and the processes that they forked, which have the same command
 * line. Processes that have ended and wait for their parent are not listed.
 * @param {string} bundles
 * @returns {ListedProcess[]}
 */
export function pythonProcesses(bundles) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const words = read(`/proc/${name}/cmdline`);
      if (!words.includes('millrace_worker.zygote') || !words.includes(bundles)) return [];
      const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1];
      return parent === undefined ? [] : [{ pid: Number(name), parent: Number(parent) }];
    });
}

/**
 * Returns the zygote of an executor; undefined while it has none.
 * @param {string} bundles
 * @param {number | undefined} executor
 */
export function zygoteOf(bundles, executor) {
  return pythonProcesses(bundles).find(({ parent }) => parent === executor)?.pid;
}

/**
 * Returns the processes that a zygote has forked.
 * @param {string} bundles
 * @param {number | undefined} zygote
 */
export function forkedBy(bundles, zygote) {
  return pythonProcesses(bundles)
    .filter(({ parent }) => parent === zygote)
    .map(({ pid }) => pid);
}

/**
 * Returns the listed processes that descend from none of these executors.
 * @param {readonly ListedProcess[]} listed
 * @param {ReadonlySet<number | undefined>} executors
 */
export function outliving(listed, executors) {
  const zygotes = new Set(listed.filter(({ parent }) => executors.has(parent)).map(({ pid }) => pid));
  return listed.filter(({ pid, parent }) => !zygotes.has(pid) && !zygotes.has(parent));
}

/**
 * Resolves to the Python processes that outlive their executors by five seconds, as texts; `executors` returns the ids of
 * those that are running.
 * @param {string} bundles
 * @param {() => readonly (number | undefined)[]} executors
 */
export async function findOutliving(bundles, executors) {
  const end = Date.now() + ENDS_WITHIN_MILLISECONDS;
  for (;;) {
    const running = new Set(executors().filter((pid) => pid !== undefined));
    const left = outliving(pythonProcesses(bundles), running);
    if (left.length === 0) return [];
    if (Date.now() > end)
      return left.map(({ pid, parent }) => `process ${pid} (parent ${parent}) has no executor`);
    await pause(POLL_MILLISECONDS);
  }
}

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended.
    return '';
  }
}
