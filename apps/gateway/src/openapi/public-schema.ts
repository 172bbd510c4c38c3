import type { RequestSchema } from '../http/validation/request-schema';

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
  {
    type: 'object',
    required: ['nodes', 'edges'],
    properties: { nodes: { type: 'array' }, edges: {} },
  },
];
/** Custom formats as standard patterns. */
const PATTERNS: Readonly<Record<string, string>> = {
  'endpoint-name': '^[a-zA-Z0-9_-]+$',
  'project-name': '[\\p{L}\\p{N}]',
  'flow-color': '^(?:#.{6})?$',
  'pool-name': '^[a-z0-9][a-z0-9._-]{0,62}$',
};

/**
 * Converts the schema of a request to standard JSON Schema: internal annotations are removed, and those that define
 * what is accepted are replaced by standard keywords.
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
  const { type, ...others } = { ...kept, ...standardKeywords(value as Schema) } as Schema;
  return withoutMixedFormat(type === undefined ? others : { type, ...others });
}

/**
 * Splits a format or pattern with several types into `anyOf`. Many tools misread a format that applies to one type
 * only.
 */
function withoutMixedFormat(schema: Schema): Schema {
  const { type: types, ...others } = schema;
  const hasShape = 'format' in schema || 'pattern' in schema;
  if (!hasShape || !Array.isArray(types) || !types.includes('null')) return schema;
  return {
    anyOf: [...types.filter((type) => type !== 'null').map((type: unknown) => ({ type, ...others })), NULL],
  };
}

/** Rewrites the schemas of properties. The names of properties are not keywords. */
function mapped(properties: Schema): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, rewritten(member)]));
}

function standardKeywords(schema: Schema): Schema {
  if (schema['x-flag'] === 'optional') return { anyOf: [...FLAG, NULL] };
  if (schema['x-flag'] !== undefined) return { anyOf: FLAG };
  if (schema['x-integer'] !== undefined) return { anyOf: INTEGER };
  if (schema['x-date-time'] !== undefined) return { anyOf: DATE_TIME };
  if (schema['x-flow-data'] !== undefined) return { type: undefined, anyOf: FLOW_DATA };
  return (schema['x-public'] as Schema | undefined) ?? {};
}
