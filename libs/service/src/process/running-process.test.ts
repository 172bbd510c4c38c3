import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { until } from '../testing';
import { isRunning, processStart } from './running-process.cjs';

test('a process runs until it has ended, also when its parent never asks for its exit status', async () => {
  // The shell becomes a program that does not know of the child that the shell started. It gives a child in the background no
  // standard input, unless under another number.
  const script = 'exec 3<&0; cat <&3 & echo $!; exec 3<&-; exec sleep 600 </dev/null';
  const parent = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    const child = Number(String(await once(parent.stdout, 'data')));
    expect(isRunning(child)).toBe(true);
    expect(processStart(child)).not.toBe(processStart(process.pid));
    parent.stdin.end();
    await until(() => !isRunning(child));
    if (process.platform === 'linux') expect(readFileSync(`/proc/${child}/stat`, 'utf8')).toContain(') Z ');
  } finally {
    parent.kill();
  }
});

test('a process that never was does not run', () => {
  expect(isRunning(2 ** 22 + 1)).toBe(false);
});
