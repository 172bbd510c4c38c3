import type { RequestSchema } from '@millrace/contracts';

type Schema = Readonly<Record<string, unknown>>;

const NULL = { type: 'null' };
const TRUE_OR_FALSE =
  '^([tT]([rR][uU][eE])?|[fF]([aA][lL][sS][eE])?|[yY]([eE][sS])?|[nN][oO]?|[oO][nN]|[oO][fF][fF]|0|1)$';
const FLAG = [{ type: 'boolean' }, { enum: [0, 1] }, { type: 'string', pattern: TRUE_OR_FALSE }];
const INTEGER = [
  { type: 'integer' },
  { type: 'boolean' },
  { type: 'string', pattern: '^\\s*[+-]?[0-9]{1,4300}(\\.0+)?\\s*$' },
  NULL,
];
const DATE_TIME = [
  { type: 'string', format: 'date-time' },
  // Unix time in seconds or milliseconds, of the years 1 to 9999.
  { type: 'number', minimum: -62_135_596_800, maximum: 253_402_300_799_999 },
  NULL,
];
const FLOW_DATA = [
  NULL,
  { type: 'object', maxProperties: 0 },
  { type: 'object', required: ['nodes', 'edges'], properties: { nodes: { type: 'array' } } },
];
/** Formats of our own, as patterns that other programs know. */
const PATTERNS: Readonly<Record<string, string>> = {
  'endpoint-name': '^[a-zA-Z0-9_-]*$',
  'pool-name': '^[a-z0-9][a-z0-9._-]{0,62}$',
};

/**
 * The schema of a request as other programs read it: annotations that mean something to the gateway alone are left out,
 * and those that decide what it takes are said in standard keywords.
 */
export function publicSchema(schema: RequestSchema): Schema {
  return rewritten(schema) as Schema;
}

function rewritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewritten);
  if (typeof value !== 'object' || value === null) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (name === 'properties') kept[name] = mapped(member as Schema);
    else if (name === 'format' && typeof member === 'string' && PATTERNS[member] !== undefined)
      kept['pattern'] = PATTERNS[member];
    else if (!name.startsWith('x-')) kept[name] = rewritten(member);
  }
  const { type, ...others } = { ...kept, ...meaning(value as Schema) } as Schema;
  return withoutMixedFormat(type === undefined ? others : { type, ...others });
}

/** A format beside several types says nothing of the others, which programs that read schemas overlook. */
function withoutMixedFormat(schema: Schema): Schema {
  const { type: types, ...others } = schema;
  const hasShape = 'format' in schema || 'pattern' in schema;
  if (!hasShape || !Array.isArray(types) || !types.includes('null')) return schema;
  return {
    anyOf: [...types.filter((type) => type !== 'null').map((type: unknown) => ({ type, ...others })), NULL],
  };
}

/** Names of properties are no keywords. */
function mapped(properties: Schema): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, rewritten(member)]));
}

function meaning(schema: Schema): Schema {
  if (schema['x-flag'] === 'optional') return { anyOf: [...FLAG, NULL] };
  if (schema['x-flag'] !== undefined) return { anyOf: FLAG };
  if (schema['x-integer'] !== undefined) return { anyOf: INTEGER };
  if (schema['x-date-time'] !== undefined) return { anyOf: DATE_TIME };
  if (schema['x-flow-data'] !== undefined) return { type: undefined, anyOf: FLOW_DATA };
  return (schema['x-public'] as Schema | undefined) ?? {};
}
