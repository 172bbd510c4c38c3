import { exitReason } from './exit-reason';
import type { SealSettings } from './pool-settings';

const seal: SealSettings = {
  level: 'required',
  memoryBytes: 1024 ** 3,
  cpuSeconds: 60,
  filesBytes: 1,
  processes: 1,
  openFiles: 1,
};
const frame = (status: number, cpuSeconds = 1) => ({ status, cpuSeconds, residentBytes: 300 * 1024 ** 2 });

test.each([
  ['the status of no memory', frame(71), 'it exceeded its memory limit of 1024 MiB'],
  ['SIGXCPU', frame(-24, 60), 'it exceeded its CPU limit of 60 seconds'],
  ['SIGKILL after all its CPU time', frame(-9, 61), 'it exceeded its CPU limit of 60 seconds'],
  ['SIGKILL', frame(-9), 'signal SIGKILL'],
  [
    'SIGABRT',
    frame(-6),
    "signal SIGABRT (its largest memory was 300 MiB, its limit was 1024 MiB beyond the zygote's)",
  ],
  ['a status', frame(3), 'exit status 3'],
  ['a reason of the zygote', { status: null, reason: 'no fork' }, 'no fork'],
])('a process that ends with %s has a reason', (_, exited, reason) => {
  expect(exitReason(exited, seal)).toBe(reason);
});

test.each([
  [frame(71), 'it has no memory left'],
  [frame(-9, 61), 'signal SIGKILL'],
  [frame(-11), 'signal SIGSEGV (its largest memory was 300 MiB)'],
])('a process without the seal has no limit in its reason', (exited, reason) => {
  expect(exitReason(exited, { ...seal, level: 'off' })).toBe(reason);
});
