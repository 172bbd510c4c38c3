import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isRunning } from '../../libs/service/src/process/running-process.cjs';

/**
 * Throws when a fault did not happen: a test without its faults proves nothing.
 * @param {unknown} happened
 * @param {string} what
 * @returns {asserts happened}
 */
export function require(happened, what) {
  if (!happened) throw new Error(`the fault missed: ${what}`);
}

/**
 * Resolves when no process has this id; rejects if the process is still there after five seconds.
 * @param {number | undefined} pid
 */
export async function requireEnded(pid) {
  require(pid !== undefined, 'there was no process');
  for (let tries = 0; tries < 100; tries += 1) {
    if (!isRunning(pid)) return;
    await pause(50);
  }
  throw new Error(`the fault missed: process ${pid} is still there`);
}

/**
 * Throws unless the process is stopped by a signal.
 * @param {number | undefined} pid
 */
export function requireFrozen(pid) {
  const state = /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  require(state === 'T', `process ${pid} is in state ${state}, not stopped`);
}

/**
 * Resolves when no process accepts connections on the URL's port; rejects if one still does after five seconds.
 * @param {string} url
 */
export async function requireClosed(url) {
  for (let tries = 0; tries < 100; tries += 1) {
    if (!(await isOpen(new URL(url)))) return;
    await pause(50);
  }
  throw new Error(`the fault missed: ${new URL(url).host} still accepts connections`);
}

/**
 * @param {URL} url
 * @returns {Promise<boolean>}
 */
function isOpen({ hostname, port }) {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
