import fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { hostileNumbers, hostileTexts } from './hostile-values';

type Schema = Readonly<Record<string, unknown>>;

const MAXIMUM_DEPTH = 5;

/** Texts that often cause bugs, besides those that one side takes and another refuses: names of built-in object members. */
const awkwardTexts = [
  ' ',
  '\u2028',
  '__proto__',
  'constructor',
  'toString',
  '${x}',
  '{x}',
  '1e999',
  'x'.repeat(5_000),
];
export const anyText: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...awkwardTexts),
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
export const anyUuid = fc.oneof(
  fc.uuid(),
  fc.uuid().map((text) => `{${text.toUpperCase()}}`),
  anyText,
);

const anyFlag = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<unknown[]>(true, false, 'yes', 0) },
  { weight: 1, arbitrary: fc.constantFrom<unknown[]>(null, 2, 'maybe', '', [], {}) },
);
const anyMoment = fc.constantFrom<unknown[]>(
  ...hostileTexts.filter((text) => /\d{4}-\d\d/.test(text)),
  ...hostileNumbers,
  '2027-01-01T00:00:00Z',
  '2027-13-01',
  '9999-12-31',
  null,
  {},
);
const anyFlowData = fc.constantFrom<unknown[]>(
  null,
  {},
  { nodes: [], edges: [] },
  { nodes: [{}], edges: [] },
  { nodes: [], edges: 3 },
);
const anyName = fc.oneof({ weight: 6, arbitrary: fc.constant('default') }, { weight: 1, arbitrary: anyText });
const anyNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(...hostileNumbers));

/** Generates values for a JSON Schema. Most are valid; members and whole values are sometimes arbitrary. */
export function valueOf(schema: Schema, texts: Arbitrary<string> = anyText, depth = 0): Arbitrary<unknown> {
  const wanted = depth > MAXIMUM_DEPTH ? fc.jsonValue({ maxDepth: 1 }) : wantedValue(schema, texts, depth);
  return fc.oneof({ weight: 30, arbitrary: wanted }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
}

function wantedValue(schema: Schema, texts: Arbitrary<string>, depth: number): Arbitrary<unknown> {
  const inner = (part: unknown) => valueOf(part as Schema, texts, depth + 1);
  if (Array.isArray(schema['anyOf'])) return fc.oneof(...schema['anyOf'].map(inner));
  if (Array.isArray(schema['enum'])) return fc.constantFrom<unknown[]>(...(schema['enum'] as unknown[]));
  if ('const' in schema) return fc.constant(schema['const']);
  if ('x-flag' in schema) return anyFlag;
  if ('x-date-time' in schema) return anyMoment;
  if ('x-flow-data' in schema) return anyFlowData;
  if (schema['format'] === 'endpoint-name' || schema['format'] === 'pool-name') return anyName;
  if (schema['format'] === 'flow-color') return fc.constantFrom(null, '', '#12345z');
  const types = [schema['type'] ?? 'anything'].flat() as string[];
  return fc.oneof(...types.map((type) => valueOfType(type, schema, texts, inner)));
}

function valueOfType(
  type: string,
  schema: Schema,
  texts: Arbitrary<string>,
  inner: (part: unknown) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return anyNumber;
    case 'string':
      return schema['format'] === 'uuid'
        ? fc.oneof(
            { weight: 6, arbitrary: fc.uuid() },
            { weight: 1, arbitrary: anyUuid },
            { weight: 1, arbitrary: texts },
          )
        : fc.oneof(texts, anyText);
    case 'array':
      return fc.array(inner(schema['items'] ?? {}), { maxLength: 3 });
    case 'object':
      return objectOf(schema, texts, inner);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function objectOf(
  schema: Schema,
  texts: Arbitrary<string>,
  inner: (part: unknown) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  const required = requiredMembers(schema);
  // A part of a schema can require members that other parts describe.
  const parts = {
    ...Object.fromEntries(required.map((name) => [name, {}])),
    ...((schema['properties'] ?? {}) as Record<string, unknown>),
  };
  const members = Object.entries(parts).map(([name, part]) => [name, inner(part)]);
  const known = fc.record(Object.fromEntries(members) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: required,
  });
  const others = fc.dictionary(fc.oneof(texts, anyText), inner(schema['additionalProperties'] || {}), {
    maxKeys: 2,
  });
  const further = schema['additionalProperties'] === false ? rarely(others) : others;
  return fc
    .tuple(known, further, fc.boolean())
    .map(([own, more, both]) => (both ? { ...more, ...own } : own));
}

function rarely(others: Arbitrary<Record<string, unknown>>): Arbitrary<Record<string, unknown>> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: others });
}

function requiredMembers(schema: Schema): string[] {
  return Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
}
