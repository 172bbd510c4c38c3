import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../libs/service/src/process/running-process.cjs';
import { codeOf } from './error-fields.mjs';
import { workspaceRoot } from './workspace-root.mjs';

/** @typedef {(line: string) => void} Print */

const folder = join(workspaceRoot, '.node');
const MAXIMUM_WAIT_MILLISECONDS = 20 * 60_000;
const PAUSE_MILLISECONDS = 300;

/**
 * Runs `work` under a lock of this checkout and returns its result, for work such as `npm ci` that must not run in two
 * commands at a time. Waits while another command holds the lock; throws after 20 minutes. Takes over a lock whose
 * process has ended. Blocks the event loop, as the work does.
 * @template T
 * @param {string} name
 * @param {Print} print
 * @param {() => T} work
 * @returns {T}
 */
export function oneAtATime(name, print, work) {
  const lock = join(folder, `${name}.lock`);
  acquire(lock, name, print);
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/**
 * @param {string} lock
 * @param {string} name
 * @param {Print} print
 */
function acquire(lock, name, print) {
  mkdirSync(folder, { recursive: true });
  const giveUpAt = Date.now() + MAXIMUM_WAIT_MILLISECONDS;
  /** @type {number | undefined} */
  let announced;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    if (owner === 'released') continue;
    if (owner === 'unknown' || !isRunning(owner)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw new Error(`Process ${owner} still runs "${name}" after 20 minutes; end it, or delete ${lock}`);
    }
    if (announced !== owner) print(`Waiting for process ${owner}, which runs the same step: ${name}`);
    announced = owner;
    pause();
  }
}

/**
 * Returns the pid of the lock's process; `released` without a lock, `unknown` if the process ended before writing it.
 * @param {string} lock
 * @returns {number | 'released' | 'unknown'}
 */
function ownerOf(lock) {
  for (let tries = 0; tries < 3; tries += 1) {
    try {
      const text = readFileSync(lock, 'utf8');
      if (text !== '') return Number(text);
    } catch {
      return 'released';
    }
    pause();
  }
  return 'unknown';
}

function pause() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLISECONDS);
}
