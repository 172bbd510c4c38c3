import { processName } from './process-name';

test('two names of one process differ, and both name the machine and the process', () => {
  const names = [processName('host'), processName('host')];
  for (const name of names) expect(name).toMatch(new RegExp(`^host-${process.pid}-[0-9a-f]{6}$`));
  expect(names[0]).not.toBe(names[1]);
});
