// Preloaded into the services of a test. At each SIGUSR2 a process writes how many bytes of V8's heap it has allocated since its
// start. V8 reports the size of the heap before and after each garbage collection, so the sum of the growths is exact.
const { renameSync, writeFileSync } = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { GCProfiler } = require('node:v8');
const { isMainThread } = require('node:worker_threads');

const folder = process.env.TEST_ALLOCATIONS_FOLDER ?? '';
const script = process.argv[1] ?? '';

if (isMainThread && folder !== '' && basename(script) === 'main.cjs') {
  let profiler = begin();
  let usedBytes = process.memoryUsage().heapUsed;
  let allocatedBytes = 0;
  let marks = 0;
  process.on('SIGUSR2', () => {
    for (const { beforeGC, afterGC } of profiler.stop().statistics) {
      allocatedBytes += beforeGC.heapStatistics.usedHeapSize - usedBytes;
      usedBytes = afterGC.heapStatistics.usedHeapSize;
    }
    const now = process.memoryUsage().heapUsed;
    allocatedBytes += now - usedBytes;
    usedBytes = now;
    profiler = begin();
    write(`${process.pid}.${(marks += 1)}.json`, { allocatedBytes });
  });
  write(`${process.pid}.process.json`, { pid: process.pid, service: basename(dirname(script)) });
}

function begin() {
  const profiler = new GCProfiler();
  profiler.start();
  return profiler;
}

/**
 * Writes a file atomically, because another process waits for it.
 * @param {string} name
 * @param {object} value
 */
function write(name, value) {
  const path = join(folder, name);
  writeFileSync(`${path}.part`, JSON.stringify(value));
  renameSync(`${path}.part`, path);
}
