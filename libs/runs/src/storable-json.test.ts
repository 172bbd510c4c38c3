import { storableJson } from './storable-json';

test('texts that PostgreSQL cannot read are replaced at each depth, and nothing else is changed', () => {
  const value = { tags: ['a\u0000b', { list: ['\ud800'] }], 'na\u0000me': 'x', count: 1, none: null };
  expect(JSON.parse(storableJson(value))).toEqual({
    tags: ['a\ufffdb', { list: ['\ufffd'] }],
    'na\ufffdme': 'x',
    count: 1,
    none: null,
  });
});

test('other values are written as they are', () => {
  const value = { tags: ['a', '😀'], text: '' };
  expect(storableJson(value)).toBe(JSON.stringify(value));
});
