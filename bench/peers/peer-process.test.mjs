import { equal, fail, match, ok, rejects } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { waitUntil } from '@millrace/testing';
import { isRunning } from '../../libs/service/src/process/running-process.cjs';
import { startPeerProcess, untilPeerReady, withPeerFolder } from './peer-process.mjs';

const signal = new AbortController().signal;

/**
 * @param {string} folder
 * @param {string} script
 */
function startScript(folder, script) {
  return startPeerProcess({ name: 'A product', program: process.execPath, words: ['-e', script], folder });
}

test('stopping ends the process with its children and removes the folder', async () => {
  const script = `
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    require('node:fs').writeFileSync('child', String(child.pid));
    setInterval(() => {}, 1000);`;
  let made = '';
  let child = 0;
  const { stop } = await withPeerFolder('test', async (folder, onStop) => {
    made = folder;
    onStop(startScript(folder, script).stop);
    // The file is empty before it has its text.
    const ask = () =>
      (child = Number(readFileSync(join(folder, 'child'), 'utf8'))) > 0 || fail('not started');
    await waitUntil(ask, { deadlineMilliseconds: 60_000 });
    return { url: 'http://127.0.0.1' };
  });
  ok(isRunning(child));
  await stop();
  await waitUntil(() => ok(!isRunning(child)), { deadlineMilliseconds: 60_000 });
  ok(!existsSync(made));
});

test('a process that ends before it is ready is named with the end of its output', async () => {
  let made = '';
  const start = withPeerFolder('test', async (folder, onStop) => {
    made = folder;
    const server = startScript(folder, 'console.error("no such setting"); process.exit(3)');
    onStop(server.stop);
    const ask = () => Promise.reject(new Error('no answer'));
    return untilPeerReady('A product', [server], { ask, deadlineMilliseconds: 60_000, signal });
  });
  await rejects(start, (/** @type {Error} */ error) => {
    match(error.message, /^A product exited with 3: no such setting$/);
    return true;
  });
  equal(existsSync(made), false);
});

test('waiting ends with the deadline, and at once when it is interrupted', async () => {
  const ask = () => Promise.reject(new Error('no answer'));
  await rejects(
    untilPeerReady('A product', [], { ask, deadlineMilliseconds: 1, signal }),
    /A product was not ready within 0 s: no answer/,
  );
  const interrupted = { ask, deadlineMilliseconds: 600_000, signal: AbortSignal.abort() };
  await rejects(untilPeerReady('A product', [], interrupted), /interrupted/);
});
