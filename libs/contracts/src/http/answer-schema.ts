/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it) of what goes out. */
export type AnswerSchema = Readonly<Record<string, unknown>>;

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const whole = { type: 'integer' } as const;
export const uuid = { type: 'string', format: 'uuid' } as const;
export const anyObject = { type: 'object' } as const;

/** An object with these members and no others; those named in `optional` may be absent. */
export function closed(
  members: Readonly<Record<string, AnswerSchema>>,
  optional: readonly string[] = [],
): AnswerSchema {
  const required = Object.keys(members).filter((name) => !optional.includes(name));
  return { type: 'object', properties: members, required, additionalProperties: false };
}

export function listOf(items: AnswerSchema): AnswerSchema {
  return { type: 'array', items };
}

export function orNull(schema: AnswerSchema): AnswerSchema {
  return typeof schema['type'] === 'string' && !('enum' in schema)
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}
