import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning } from '../../libs/service/src/process/running-process.cjs';

/**
 * @typedef {{ readonly service: string, readonly pid: number }} MarkedProcess
 * @typedef {{ readonly cpuMicroseconds: number, readonly error?: string }} LastMark What a process writes at its third mark.
 */

const MARKED_WITHIN_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 20;

/**
 * Returns the running services among the processes that preloaded mark-on-signal.cjs and wrote to `folder`.
 * @param {string} folder
 * @returns {MarkedProcess[]}
 */
export function markedProcesses(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.process.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .filter(({ script, pid }) => basename(script) === 'main.cjs' && isRunning(pid))
    .map(({ script, pid }) => ({ service: basename(dirname(script)), pid }))
    .sort((left, right) => left.pid - right.pid);
}

/**
 * Sends all processes their next mark, `number`, and resolves to what each wrote.
 * @param {string} folder
 * @param {readonly MarkedProcess[]} processes
 * @param {number} number
 * @returns {Promise<LastMark[]>}
 */
export async function mark(folder, processes, number) {
  for (const { pid } of processes) process.kill(pid, 'SIGUSR2');
  const giveUpAt = performance.now() + MARKED_WITHIN_MILLISECONDS;
  const written = [];
  for (const { service, pid } of processes) {
    const path = join(folder, `${pid}.mark-${number}.json`);
    while (!existsSync(path)) {
      if (performance.now() > giveUpAt) throw new Error(`${service} did not write its mark in time`);
      await pause(POLL_MILLISECONDS);
    }
    written.push(JSON.parse(readFileSync(path, 'utf8')));
  }
  return written;
}
