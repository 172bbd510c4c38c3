import { argumentFault } from './argument-fault';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['count'],
  properties: {
    count: { type: 'integer' },
    unit: { enum: ['kg', 'g'] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    more: { type: ['array', 'object'] },
  },
};

test.each([
  [{ count: 1 }, null],
  [{ count: 1, unit: 'g', note: null, more: [] }, null],
  [{ unit: 'g' }, 'The argument "count" is missing.'],
  [{ count: 1.5 }, 'The argument "count" does not fit {"type":"integer"}.'],
  [{ count: 1, unit: 't' }, 'The argument "unit" does not fit {"enum":["kg","g"]}.'],
  [{ count: 1, note: 2 }, expect.stringContaining('"note" does not fit')],
  [{ count: 1, more: 'x' }, expect.stringContaining('"more" does not fit')],
  [{ count: 1, constructor: 1 }, 'There is no argument "constructor".'],
])('%j', (args, fault) => {
  expect(argumentFault(schema, args)).toEqual(fault);
});

test('a schema that says nothing takes anything', () => {
  expect(argumentFault({}, { a: 1 })).toBeNull();
});
