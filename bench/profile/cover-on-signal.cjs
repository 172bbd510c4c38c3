// Preloaded into every process whose visited files are counted. The first SIGUSR2 starts to count the calls of functions,
// the second writes the functions that were called.
const { mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const folder = process.env.BENCH_PROFILE_FOLDER ?? '';

if (isMainThread && folder !== '') {
  mkdirSync(folder, { recursive: true });
  write('process.json', { pid: process.pid, script: process.argv[1] ?? '' });
  const marks = [start, end];
  process.on('SIGUSR2', () => marks.shift()?.());
}

/** @type {Session} */
let session;

function start() {
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false }, () =>
    write('mark-1.json', {}),
  );
}

function end() {
  session.post('Profiler.takePreciseCoverage', (error, answer) => {
    const scripts = (answer?.result ?? []).map(({ url, functions }) => ({
      url,
      offsets: functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ ranges }) => ranges[0]?.startOffset),
    }));
    write('mark-2.json', { scripts, error: error?.message });
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
