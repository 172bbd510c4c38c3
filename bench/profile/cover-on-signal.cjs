// Preloaded into every process whose visited files are counted. The first SIGUSR2 starts to count the calls of functions,
// each further one writes the functions that were called since the one before.
const { mkdirSync, renameSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { isMainThread } = require('node:worker_threads');

const folder = process.env.BENCH_PROFILE_FOLDER ?? '';

if (isMainThread && folder !== '') {
  mkdirSync(folder, { recursive: true });
  write('process.json', { pid: process.pid, script: process.argv[1] ?? '' });
  process.on('SIGUSR2', () => (session === undefined ? start() : take()));
}

/** @type {Session | undefined} */
let session;
let marks = 1;

function start() {
  session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false }, () =>
    write('mark-1.json', {}),
  );
}

function take() {
  session?.post('Profiler.takePreciseCoverage', (error, answer) => {
    const scripts = (answer?.result ?? []).map(({ url, functions }) => ({
      url,
      offsets: functions
        .filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        .map(({ ranges }) => ranges[0]?.startOffset),
    }));
    marks += 1;
    write(`mark-${marks}.json`, { scripts, error: error?.message });
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
