// Preloaded into every process that a profiled scenario starts. SIGUSR2 marks: with the first the CPU time of the process
// is counted, with the second that ends and a CPU profile begins, with the third both are written down. The profile
// comes after the count, so that its own cost is in no figure.
const { mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const SAMPLING_MICROSECONDS = 500;
const folder = process.env.BENCH_PROFILE_FOLDER;

if (isMainThread && folder !== undefined) {
  mkdirSync(folder, { recursive: true });
  write('process.json', { pid: process.pid, script: process.argv[1] ?? '' });
  const marks = [beginCount, beginProfile, end];
  process.on('SIGUSR2', () => marks.shift()?.());
}

let before;
let used;
let session;

function beginCount() {
  before = process.cpuUsage();
  write('mark-1.json', {});
}

function beginProfile() {
  used = process.cpuUsage(before);
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: SAMPLING_MICROSECONDS });
  session.post('Profiler.start', () => write('mark-2.json', {}));
}

function end() {
  session.post('Profiler.stop', (error, { profile } = {}) => {
    write('cpuprofile', profile ?? null);
    write('mark-3.json', { cpuMicroseconds: used.user + used.system, error: error?.message });
    session.disconnect();
  });
}

/** Whole or not at all: somebody waits for the file. */
function write(kind, value) {
  const path = join(folder, `${process.pid}.${kind}`);
  writeFileSync(`${path}.part`, JSON.stringify(value));
  renameSync(`${path}.part`, path);
}
