import { checkPythonExposure, pythonModeWithOption, pythonPoolOf } from './python-rules';

const allowed = { MILLRACE_PYTHON_ALL_ALLOWED: true };
const notAllowed = { MILLRACE_PYTHON_ALL_ALLOWED: false };

test.each([
  ['off', null],
  ['approved', 'snakes'],
  ['all', 'snakes'],
] as const)('with MILLRACE_PYTHON=%s the pool of Python is %s', (mode, pool) => {
  expect(pythonPoolOf({ MILLRACE_PYTHON: mode, MILLRACE_PYTHON_POOL: 'snakes' })).toBe(pool);
});

test.each(['0.0.0.0', '::', '10.0.0.1', 'millrace.example', '128.0.0.1', '::2', null])(
  'every text runs at the address %s only after a confirmation',
  (host) => {
    const check = (settings: object) =>
      checkPythonExposure({ MILLRACE_PYTHON: 'all', ...notAllowed, ...settings }, host);
    expect(() => check({})).toThrow('MILLRACE_PYTHON_ALL_ALLOWED=true');
    check({ MILLRACE_PYTHON: 'approved' });
    check(allowed);
  },
);

test.each(['127.0.0.1', '127.4.5.6', '::1', 'localhost', '::ffff:127.0.0.1'])(
  'on the loopback address %s every text runs without a confirmation',
  (host) => {
    expect(() => checkPythonExposure({ MILLRACE_PYTHON: 'all', ...notAllowed }, host)).not.toThrow();
  },
);

test.each([
  ['off', '127.0.0.1', 'all'],
  ['off', '0.0.0.0', 'approved'],
  ['approved', '127.0.0.1', 'approved'],
  ['all', '0.0.0.0', 'all'],
] as const)('--python with the setting %s on %s is %s', (mode, host, expected) => {
  expect(pythonModeWithOption(mode, host)).toBe(expected);
});
