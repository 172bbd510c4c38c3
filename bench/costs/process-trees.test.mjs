import { deepEqual, equal, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { portOf } from '@millrace/testing';
import { processListeningOn, processorTimes } from './process-trees.mjs';

const isLinux = process.platform === 'linux';

test('finds a process by the port on which it listens', { skip: !isLinux }, async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  equal(processListeningOn(port), process.pid);
  server.close();
  await once(server, 'close');
  equal(processListeningOn(port), undefined);
});

test('adds the CPU time of running and ended children to a process', { skip: !isLinux }, async () => {
  const busy = 'const end = process.cpuUsage().user + 300e3; while (process.cpuUsage().user < end);';
  const starter = `
    const { spawnSync, spawn } = require('node:child_process');
    spawnSync(process.execPath, ['-e', ${JSON.stringify(busy)}]);
    spawn(process.execPath, ['-e', ${JSON.stringify(`${busy} console.log('done'); setTimeout(() => {}, 60e3)`)}], { stdio: 'inherit' });
    setTimeout(() => {}, 60e3);`;
  const child = spawn(process.execPath, ['-e', starter], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  await once(child.stdout, 'data');
  const { some } = processorTimes({ some: child.pid });
  process.kill(-(child.pid ?? NaN), 'SIGKILL');
  ok(some >= 600_000, `${some} µs`);
});

test('omits missing processes', () => {
  deepEqual(processorTimes({ none: undefined, missing: 4_194_305 }), {});
});
