import { exampleValue } from './example-values';

const schemas = { Some: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } };
const members = { first_name: { type: 'string' }, count: { type: 'integer', minimum: 3 } };

test.each([
  [{ const: 5 }, 5],
  [{ enum: ['x', 'y'] }, 'x'],
  [{ type: 'integer', default: 7 }, 7],
  [{ anyOf: [{ type: 'null' }, { type: 'boolean' }] }, true],
  [{ type: ['string', 'null'] }, 'value'],
  [{ type: 'null' }, null],
  [{ type: 'number', exclusiveMinimum: 0, maximum: 0.5 }, 0.5],
  [{ type: 'array', items: { $ref: '#/components/schemas/Some' } }, [{ id: 1 }]],
  [{ type: 'array', maxItems: 0 }, []],
  [{ type: 'object', properties: members, required: ['first_name'] }, { first_name: 'first name' }],
  [
    { type: 'object', properties: members, additionalProperties: false },
    { first_name: 'first name', count: 3 },
  ],
  [{ type: 'object' }, {}],
])('the example of %j is %j', (schema, value) => {
  expect(exampleValue(schema, schemas)).toEqual(value);
});
