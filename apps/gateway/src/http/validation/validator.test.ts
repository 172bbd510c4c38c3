import { createValidator } from './validator';

const check = createValidator({
  type: 'object',
  properties: { count: { 'x-integer': true } },
} as never);

const typesOf = (body: unknown): unknown => {
  try {
    check(body);
    return null;
  } catch (error) {
    const { detail } = error as {
      readonly detail: readonly { readonly type: string; readonly loc: unknown }[];
    };
    return detail.map(({ type, loc }) => [type, loc]);
  }
};

test.each([
  ['text', 'int_parsing'],
  [[], 'int_type'],
  [Infinity, 'finite_number'],
  [1.5, 'int_from_float'],
])('the value %p of an integer is refused as %s', (value, type) => {
  expect(typesOf({ count: value })).toEqual([[type, ['body', 'count']]]);
});

test.each([7, '7', ' 7.0 ', true, null])(
  'the value %j of an integer that pydantic reads is taken',
  (value) => {
    expect(typesOf({ count: value })).toBeNull();
  },
);

test.each([
  [1, 'String should have at least 1 character'],
  [2, 'String should have at least 2 characters'],
])('a bound of %i is written in the number that it has', (minLength, msg) => {
  const bounded = createValidator({
    type: 'object',
    properties: { name: { type: 'string', minLength } },
  } as never);
  const detail = [expect.objectContaining({ msg })] as unknown;
  expect(() => bounded({ name: '' })).toThrow(expect.objectContaining({ detail }));
});
