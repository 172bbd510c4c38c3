// The zygote of the fake worker: starts a Node process for each fork.
'use strict';
const { spawn } = require('node:child_process');
const { Socket } = require('node:net');
const { join } = require('node:path');

const control = new Socket({ fd: 3 });
const children = new Map();

const send = (frame) => {
  const body = Buffer.from(JSON.stringify(frame));
  const header = Buffer.alloc(4);
  header.writeUInt32BE(body.length);
  control.write(Buffer.concat([header, body]));
};

function obey(frame) {
  if ('kill' in frame) return children.get(frame.kill)?.kill('SIGKILL');
  const child = spawn(process.execPath, [join(__dirname, 'fake-process.cjs'), JSON.stringify(frame)], {
    stdio: 'ignore',
  });
  children.set(frame.fork, child);
  send({ forked: frame.fork, pid: child.pid });
  child.once('exit', (status) => {
    children.delete(frame.fork);
    send({ exited: frame.fork, status });
  });
}

let received = Buffer.alloc(0);
control.on('data', (chunk) => {
  received = Buffer.concat([received, chunk]);
  while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
    const end = 4 + received.readUInt32BE(0);
    const frame = JSON.parse(received.subarray(4, end));
    received = received.subarray(end);
    obey(frame);
  }
});
control.on('close', () => {
  for (const child of children.values()) child.kill('SIGKILL');
  process.exit(0);
});
send({ ready: true, protocol: 1, pid: process.pid, lfx: 'fake' });
