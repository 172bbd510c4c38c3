import { strip } from './strip';

test.each<[Parameters<typeof strip>, string]>([
  [['  x \n'], 'x'],
  [['\u001c\u0085\u3000x\ufeff'], 'x\ufeff'],
  [['--x--', 'left', '-'], 'x--'],
  [['--x--', 'right', '-'], '--x'],
  [['😀x😀', 'both', '😀'], 'x'],
  [['abcba', 'both', 'ba'], 'c'],
  [['   '], ''],
  [['x', 'both', ''], 'x'],
])('%j strips to %j', (given, expected) => {
  expect(strip(...given)).toBe(expected);
});
