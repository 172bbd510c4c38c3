/** A JSON Schema (draft 2020-12, as in OpenAPI 3.1) of a message, or of a response. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const integer = { type: 'integer' } as const;
export const uuid = { type: 'string', format: 'uuid' } as const;
export const anyObject = { type: 'object' } as const;

/** Returns the schema of an object with exactly these members; those named in `optional` can be absent. */
export function closedObject(
  members: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(members).filter((name) => !optional.includes(name));
  return { type: 'object', properties: members, required, additionalProperties: false };
}

/** Returns the schema under a name, by which the OpenAPI document and generated clients refer to it. */
export function named(name: string, schema: JsonSchema): JsonSchema {
  return { title: name, ...schema };
}

/** Returns the schema of an object with exactly these members, under a name. */
export function namedObject(
  name: string,
  members: Readonly<Record<string, JsonSchema>>,
  optional?: readonly string[],
): JsonSchema {
  return named(name, closedObject(members, optional));
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return typeof schema['type'] === 'string' && !('enum' in schema) && !('title' in schema)
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
