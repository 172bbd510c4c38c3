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

const INTEGER = 'Input should be a valid integer';

test.each([
  [{ type: 'string' }, 1, 'string_type', 'Input should be a valid string'],
  [{ type: 'boolean' }, 1, 'bool_type', 'Input should be a valid boolean'],
  [{ type: 'integer' }, [], 'int_type', INTEGER],
  [{ type: 'integer' }, 'x', 'int_parsing', `${INTEGER}, unable to parse string as an integer`],
  [{ type: 'integer' }, 1.5, 'int_from_float', `${INTEGER}, got a number with a fractional part`],
  [{ type: 'number' }, 'x', 'float_type', 'Input should be a valid number'],
  [{ type: 'array' }, 1, 'list_type', 'Input should be a valid list'],
  [{ type: 'object' }, 1, 'dict_type', 'Input should be a valid dictionary'],
  [{ type: ['string', 'null'] }, 1, 'string_type', 'Input should be a valid string'],
  [
    { type: 'object', 'x-model': true },
    1,
    'model_attributes_type',
    'Input should be a valid dictionary or object to extract fields from',
  ],
  [{ type: 'string', format: 'uuid' }, 1, 'uuid_type', 'UUID input should be a string, bytes or UUID object'],
  [{ 'x-flag': true }, 'maybe', 'bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
  [{ 'x-flag': true }, [], 'bool_type', 'Input should be a valid boolean'],
  [
    { type: ['string', 'null'], 'x-not-null': true, minLength: 1 },
    2,
    'string_type',
    'Input should be a valid string',
  ],
])('%j refuses %j as %s', (schema, input, type, msg) => {
  expect(itemsOf(schema, input)).toEqual([{ type, loc: ['body', 'a'], msg, input }]);
});

test.each([
  [{ enum: ['a'] }, 'b', 'literal_error', "'a'"],
  [{ enum: ['a', 'b', 'c', null] }, 'd', 'literal_error', "'a', 'b' or 'c'"],
  [{ enum: ['a', 'b'], 'x-enum': true }, 1, 'enum', "'a' or 'b'"],
])('%j refuses %j as %s, which names %s', (schema, input, type, expected) => {
  const item = { type, loc: ['body', 'a'], msg: `Input should be ${expected}`, input, ctx: { expected } };
  expect(itemsOf(schema, input)).toEqual([item]);
});

test.each([
  [
    { type: 'string', minLength: 2 },
    'a',
    'string_too_short',
    'String should have at least 2 characters',
    { min_length: 2 },
  ],
  [
    { type: 'string', maxLength: 1 },
    'ab',
    'string_too_long',
    'String should have at most 1 character',
    { max_length: 1 },
  ],
  [
    { type: 'array', minItems: 1 },
    [],
    'too_short',
    'List should have at least 1 item after validation, not 0',
    { field_type: 'List', min_length: 1, actual_length: 0 },
  ],
  [
    { type: 'array', maxItems: 2 },
    [1, 2, 3],
    'too_long',
    'List should have at most 2 items after validation, not 3',
    { field_type: 'List', max_length: 2, actual_length: 3 },
  ],
  [
    { type: 'number', minimum: 2 },
    1,
    'greater_than_equal',
    'Input should be greater than or equal to 2',
    { ge: 2 },
  ],
  [
    { type: 'number', maximum: 2 },
    3,
    'less_than_equal',
    'Input should be less than or equal to 2',
    { le: 2 },
  ],
  [
    { type: 'string', pattern: '^a$' },
    'b',
    'string_pattern_mismatch',
    "String should match pattern '^a$'",
    { pattern: '^a$' },
  ],
])('the bound %j refuses %j as %s', (schema, input, type, msg, ctx) => {
  expect(itemsOf(schema, input)).toEqual([{ type, loc: ['body', 'a'], msg, input, ctx }]);
});

test('a member that is missing, and one that is not taken, have items of their own', () => {
  const closed = { type: 'object', required: ['b'], properties: { b: {} }, additionalProperties: false };
  const input = { c: 1 };
  expect(itemsOf(closed, input)).toEqual([
    { type: 'missing', loc: ['body', 'a', 'b'], msg: 'Field required', input },
    { type: 'extra_forbidden', loc: ['body', 'a', 'c'], msg: 'Extra inputs are not permitted', input: 1 },
  ]);
  expect(itemsOf({ type: 'array', items: closed }, [{ b: 1 }, { b: 1, c: 2 }])).toMatchObject([
    { loc: ['body', 'a', 1, 'c'] },
  ]);
});

/** The items for the member `a` of a body. */
function itemsOf(schema: object, a: unknown): unknown {
  try {
    createValidator({ type: 'object', properties: { a: schema } } as never)({ a });
    return null;
  } catch (error) {
    return (error as { readonly detail: unknown }).detail;
  }
}
