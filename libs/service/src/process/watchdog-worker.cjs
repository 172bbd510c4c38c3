// Watches the event loop of its process from a thread of its own. One that stands still can neither end its runs nor
// keep its connections: past the limit the process is killed, and whoever waits for what it had in hand turns to others.
const { writeSync } = require('node:fs');
const { workerData } = require('node:worker_threads');

const { name, beats, limitMilliseconds } = workerData;
const tickMilliseconds = Math.min(250, limitMilliseconds / 4);
let seen = -1;
let ticksWithoutBeat = 0;
let hasWarned = false;

// Ticks are counted, not time: a process that was frozen as a whole has done nothing wrong.
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
    say('warn', 'the event loop stands still', stillMilliseconds);
  }
  if (stillMilliseconds >= limitMilliseconds) {
    say('fatal', 'the event loop stood still for too long: the process ends', stillMilliseconds);
    process.kill(process.pid, 'SIGKILL');
  }
}, tickMilliseconds);

/** A line as the logger of the process writes it, past that logger, which cannot write now. */
function say(level, msg, stillMilliseconds) {
  const line = { level, time: new Date().toISOString(), name, stillMilliseconds, msg: `${name}: ${msg}` };
  try {
    writeSync(1, `${JSON.stringify(line)}\n`);
  } catch {
    // Nobody reads; there is nobody else to tell.
  }
}
