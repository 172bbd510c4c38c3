import { commonEnds, diffLines } from './diff-lines';

test('equal lines stand beside each other, changed ones too, and others have an empty side', () => {
  expect(diffLines('a\nb\nc', 'a\nx\nc')).toEqual([
    { one: 'a', other: 'a' },
    { one: 'b', other: 'x' },
    { one: 'c', other: 'c' },
  ]);
  expect(diffLines('a\nb\nc\nd', 'b\nnew\nc\nd')).toEqual([
    { one: 'a', other: undefined },
    { one: 'b', other: 'b' },
    { one: undefined, other: 'new' },
    { one: 'c', other: 'c' },
    { one: 'd', other: 'd' },
  ]);
  expect(diffLines('', '')).toEqual([{ one: '', other: '' }]);
});

test('both sides of a comparison are the texts', () => {
  const [one, other] = ['1\n2\n3\n4\n5\n2', '2\n3\n0\n5\n5\n1\n2'];
  const rows = diffLines(one, other) ?? [];
  const side = (name: 'one' | 'other') =>
    rows.flatMap((row) => (row[name] === undefined ? [] : [row[name]])).join('\n');
  expect([side('one'), side('other')]).toEqual([one, other]);
});

test('texts that are too long are not compared', () => {
  const lines = (count: number, text: string) =>
    Array.from({ length: count }, (_, line) => text + line).join('\n');
  expect(diffLines(lines(6_000, 'a'), 'a')).toBeUndefined();
  expect(diffLines(lines(1_100, 'a'), lines(1_100, 'b'))).toBeUndefined();
  expect(diffLines(lines(4_000, 'a'), `${lines(4_000, 'a')}\nmore`)).toHaveLength(4_001);
});

test('the equal beginning and end of two lines do not overlap', () => {
  expect(commonEnds('aa', 'aaa')).toEqual([2, 0]);
  expect(commonEnds('one 7 two', 'one 89 two')).toEqual([4, 4]);
});
