import { isObject } from './json-object';
import type { JsonObject } from './json-object';

const maximumDepth = 16;

/** A place in a schema; the root holds what references name. */
interface Place {
  readonly root?: unknown;
  readonly depth?: number;
}

/**
 * Returns a value that follows a JSON Schema, derived from a text: strings are the text, numbers are the first number in
 * it (1 if there is none), booleans are true, lists have one element, objects have all their members.
 */
export function exampleValue(
  schema: unknown,
  text: string,
  { root = schema, depth = 0 }: Place = {},
): unknown {
  if (!isObject(schema) || depth > maximumDepth) return text;
  const { $ref: reference, enum: options, anyOf, type } = schema;
  const inside = { root, depth: depth + 1 };
  if (typeof reference === 'string') return exampleValue(referenced(root, reference), text, inside);
  if (Array.isArray(options) && options.length > 0) return options[0];
  if (Array.isArray(anyOf) && anyOf.length > 0) return exampleValue(anyOf[0], text, inside);
  switch (Array.isArray(type) ? type[0] : type) {
    case 'integer':
      return Math.trunc(firstNumber(text));
    case 'number':
      return firstNumber(text);
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return [exampleValue(schema['items'], text, inside)];
    case 'object':
      return exampleObject(schema, text, inside);
    default:
      return text;
  }
}

/** Returns an object with every member of a schema. */
export function exampleObject(
  schema: JsonObject,
  text: string,
  { root = schema, depth = 0 }: Place = {},
): JsonObject {
  const { properties } = schema;
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, exampleValue(member, text, { root, depth })]),
  );
}

/** Returns the schema of a reference such as `#/$defs/Row`. */
function referenced(root: unknown, reference: string): unknown {
  const names = reference.replace(/^#\/?/, '').split('/');
  return names.reduce((value, name) => (isObject(value) ? value[name] : undefined), root);
}

function firstNumber(text: string): number {
  return Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 1);
}
