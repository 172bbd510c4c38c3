// Watches the event loop of its process from a separate thread. A blocked process can neither end its runs nor keep its
// connections: past the limit it is killed, and other processes take over its work.
const { writeSync } = require('node:fs');
const { workerData } = require('node:worker_threads');

/** @type {{ name: string, beats: Int32Array, limitMilliseconds: number }} */
const { name, beats, limitMilliseconds } = workerData;
const tickMilliseconds = Math.min(250, limitMilliseconds / 4);
let seen = -1;
let ticksWithoutBeat = 0;
let hasWarned = false;

// Counts ticks instead of time: a process that was frozen as a whole is not at fault.
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== seen) {
    seen = beat;
    ticksWithoutBeat = 0;
    hasWarned = false;
    return;
  }
  ticksWithoutBeat += 1;
  const stillMilliseconds = ticksWithoutBeat * tickMilliseconds;
  if (!hasWarned && stillMilliseconds >= limitMilliseconds / 2) {
    hasWarned = true;
    say('warn', 'event loop blocked', stillMilliseconds);
  }
  if (stillMilliseconds >= limitMilliseconds) {
    say('fatal', 'event loop blocked for too long; killing the process', stillMilliseconds);
    process.kill(process.pid, 'SIGKILL');
  }
}, tickMilliseconds);

/**
 * Writes a line in the format of the process's logger, which cannot write now.
 * @param {'warn' | 'fatal'} level
 * @param {string} msg
 * @param {number} stillMilliseconds
 */
function say(level, msg, stillMilliseconds) {
  const line = { level, time: new Date().toISOString(), name, stillMilliseconds, msg: `${name}: ${msg}` };
  try {
    writeSync(1, `${JSON.stringify(line)}\n`);
  } catch {
    // Standard output is closed; there is no other channel.
  }
}
