import fc from 'fast-check';
import { findJsonExcess } from './find-json-excess';

const none = { maximumDepth: Infinity, maximumMembers: Infinity };

test.each([
  ['members of an object', '{"a":1,"b":2,"c":3}', { maximumMembers: 2 }, { kind: 'members', index: 12 }],
  ['items of an array', '[1,2,3]', { maximumMembers: 2 }, { kind: 'members', index: 4 }],
  ['items of nested arrays', '[[1],[2]]', { maximumMembers: 2 }, { kind: 'members', index: 4 }],
  ['empty objects', '[{},{},{}]', { maximumMembers: 4 }, { kind: 'members', index: 6 }],
  ['members at the limit', '{"a":[1,2]}', { maximumMembers: 3 }, null],
  ['commas in texts', '{"a":",,,,","b,":"\\",,\\\\"}', { maximumMembers: 2 }, null],
  ['levels', '[[[]]]', { maximumDepth: 2 }, { kind: 'depth', index: 2 }],
  ['levels at the limit', '[[],[[]]]', { maximumDepth: 3 }, null],
  ['brackets in texts', '["[[[["]', { maximumDepth: 1 }, null],
  ['a text without an end', '["[[[[', { maximumDepth: 1 }, null],
  ['no JSON at all', 'a, b, c [', { maximumMembers: 2 }, { kind: 'members', index: 8 }],
])('%s', (_, text, bounds, expected) => {
  expect(findJsonExcess(text, { ...none, ...bounds })).toEqual(expected);
});

test('counts the members that a parser finds, in any formatting', () => {
  const members = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 0
      : Object.values(value).reduce<number>((sum, member) => sum + 1 + members(member), 0) ||
        1; /* An empty one. */
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      // A parser sees a repeated name once; JSON.stringify never repeats one.
      const count = members(value);
      expect(findJsonExcess(text, { ...none, maximumMembers: count })).toBeNull();
      if (count > 0) expect(findJsonExcess(text, { ...none, maximumMembers: count - 1 })).not.toBeNull();
    }),
  );
});

test('reads a text of backslashes and quotes in one pass', () => {
  const text = `["${'\\\\\\"'.repeat(500_000)}",1]`;
  expect(findJsonExcess(text, { ...none, maximumMembers: 1 })).toMatchObject({ index: text.length - 3 });
});
