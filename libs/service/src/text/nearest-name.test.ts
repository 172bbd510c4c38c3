import { nearestName } from './nearest-name.cjs';

test.each([
  ['prot', ['host', 'port'], 'port'],
  ['hlep', ['keep', 'help'], 'help'],
  ['jsn', ['json', 'help'], 'json'],
  ['MILLRACE_CONCURENCY', ['MILLRACE_CONCURRENCY', 'MILLRACE_POOL'], 'MILLRACE_CONCURRENCY'],
  ['demo', ['data', 'json'], undefined],
  ['x', ['rows'], undefined],
  ['', ['rows'], undefined],
])('%s among %j means %s', (name, known, meant) => {
  expect(nearestName(name, known)).toBe(meant);
});
