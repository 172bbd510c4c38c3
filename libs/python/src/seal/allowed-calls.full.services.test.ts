import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { runners } from './testing/sealed-snippets';

const SCRIPT = join(__dirname, '..', '..', '..', '..', 'apps/python-worker/tests/decide_calls.py');
/** The process that the filter is made for. */
const PID = 4711;
const THREAD_FLAGS = 0x3d0f00;

/** Name, number on x86_64 and on aarch64, arguments, decision. */
const calls: readonly (readonly [string, number, number, readonly number[], string])[] = [
  ['read', 0, 63, [], 'allow'],
  ['openat', 257, 56, [], 'allow'],
  ['mmap', 9, 222, [], 'allow'],
  ['futex', 202, 98, [], 'allow'],
  ['getrandom', 318, 278, [], 'allow'],
  ['a thread', 56, 220, [THREAD_FLAGS], 'allow'],
  ['a process', 56, 220, [17], 'EPERM'],
  ['a thread with a namespace', 56, 220, [THREAD_FLAGS + 0x10000000], 'EPERM'],
  ['clone3', 435, 435, [], 'ENOSYS'],
  ['a new file', 257, 56, [-100, 0, 0x241, 0o777], 'allow'],
  ['a new setuid file', 257, 56, [-100, 0, 0x241, 0o4755], 'EPERM'],
  ['a mode', 91, 52, [3, 0o1777], 'allow'],
  ['a setuid bit by fchmod', 91, 52, [3, 0o4755], 'EPERM'],
  ['a setgid bit by fchmodat', 268, 53, [-100, 0, 0o2755], 'EPERM'],
  ['a setuid bit by fchmodat2', 452, 452, [-100, 0, 0o4000, 0], 'EPERM'],
  ['openat2', 437, 437, [], 'ENOSYS'],
  ['execve', 59, 221, [], 'EPERM'],
  ['execveat', 322, 281, [], 'EPERM'],
  ['ptrace', 101, 117, [], 'EPERM'],
  ['mount', 165, 40, [], 'EPERM'],
  ['bpf', 321, 280, [], 'EPERM'],
  ['io_uring_setup', 425, 425, [], 'EPERM'],
  ['a call of the future', 600, 600, [], 'ENOSYS'],
  ['a signal to itself', 62, 129, [PID, 15], 'allow'],
  ['a signal to another process', 62, 129, [PID + 1, 15], 'EPERM'],
  ['a signal to its group', 62, 129, [0, 15], 'EPERM'],
  ['a TCP socket', 41, 198, [2, 1, 0], 'allow'],
  ['a TCP socket that does not block', 41, 198, [2, 0x80801, 6], 'allow'],
  ['a UDP socket by IPv6', 41, 198, [10, 2, 17], 'allow'],
  ['a raw socket', 41, 198, [2, 3, 1], 'EPERM'],
  ['a Unix socket', 41, 198, [1, 1, 0], 'EPERM'],
  ['a netlink socket', 41, 198, [16, 3, 0], 'EPERM'],
  ['a pair of stream sockets', 53, 199, [1, 1, 0], 'allow'],
  ['a pair of datagram sockets', 53, 199, [1, 2, 0], 'EPERM'],
  ['TCP Fast Open', 44, 206, [3, 0, 0, 0x20000000], 'EPERM'],
  ['F_SETOWN', 72, 25, [3, 8, 1], 'EPERM'],
  ['F_GETFL', 72, 25, [3, 3], 'allow'],
  ['TIOCSTI', 16, 29, [0, 0x5412], 'ENOTTY'],
  ['PR_SET_DUMPABLE', 157, 167, [4, 1], 'EPERM'],
  ['PR_SET_NAME', 157, 167, [15], 'allow'],
];

test('the filter decides by number and arguments on both architectures', () => {
  const [runner] = runners();
  const { stdout, stderr } = spawnSync(runner!.python, ['-I', SCRIPT], {
    input: JSON.stringify(calls.map((call) => call.slice(0, 4))),
  });
  expect(stderr.toString()).toBe('');
  const expected = Object.fromEntries(calls.map(([name, , , , decision]) => [name, decision]));
  expect(JSON.parse(stdout.toString())).toEqual({ x86_64: expected, aarch64: expected });
});
