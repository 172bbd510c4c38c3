// Preloaded into every process of a profiled scenario. SIGUSR2 sets marks: the first starts to count the CPU time of the
// process, the second ends the count and starts a CPU profile, the third writes both. The profile comes after the count, so
// that the figures do not include its cost.
const { mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const SAMPLING_MICROSECONDS = 500;
const folder = process.env.BENCH_PROFILE_FOLDER ?? '';

if (isMainThread && folder !== '') {
  mkdirSync(folder, { recursive: true });
  write('process.json', { pid: process.pid, script: process.argv[1] ?? '' });
  const marks = [beginCount, beginProfile, end];
  process.on('SIGUSR2', () => marks.shift()?.());
}

/** @type {NodeJS.CpuUsage | undefined} */
let before;
/** @type {NodeJS.CpuUsage} */
let used;
/** @type {Session} */
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
  session.post('Profiler.stop', (error, answer) => {
    write('cpuprofile', answer?.profile ?? null);
    write('mark-3.json', { cpuMicroseconds: used.user + used.system, error: error?.message });
    session.disconnect();
  });
}

/**
 * Writes a file atomically, because another process waits for it.
 * @param {string} kind
 * @param {unknown} value
 */
function write(kind, value) {
  const path = join(folder, `${process.pid}.${kind}`);
  writeFileSync(`${path}.part`, JSON.stringify(value));
  renameSync(`${path}.part`, path);
}
