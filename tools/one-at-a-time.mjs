import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from './workspace-root.mjs';

const folder = join(workspaceRoot, '.node');
const LONGEST_WAIT_MILLISECONDS = 20 * 60_000;
const PAUSE_MILLISECONDS = 300;

/**
 * Does something that only one command of this checkout may do at a time, such as `npm ci`, and returns its result. While
 * another command does the same, it waits, at most 20 minutes, and then throws. A lock whose process has ended is taken
 * over. Blocks the event loop, as the work itself does.
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

function acquire(lock, name, print) {
  mkdirSync(folder, { recursive: true });
  const giveUpAt = Date.now() + LONGEST_WAIT_MILLISECONDS;
  let announced;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    if (owner === 'released') continue;
    if (owner === 'unknown' || !isRunning(owner)) {
      rmSync(lock, { force: true });
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw new Error(`Process ${owner} still does "${name}" after 20 minutes; end it, or delete ${lock}`);
    }
    if (announced !== owner) print(`Waiting for process ${owner}, which does the same: ${name}`);
    announced = owner;
    pause();
  }
}

/** Its process; `unknown` when that ended before it wrote its number. */
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

function isRunning(processId) {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // Another user's process.
    return error.code === 'EPERM';
  }
}
