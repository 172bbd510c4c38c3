import { isObject } from './json-object';
import type { JsonObject } from './json-object';

const maximumDepth = 16;

/**
 * Returns a value that follows a JSON Schema, derived from a text: strings are the text, numbers are the first number in
 * it (1 if there is none), booleans are true, lists have one element, objects have all their members.
 */
export function exampleValue(schema: unknown, text: string, depth = 0): unknown {
  if (!isObject(schema) || depth > maximumDepth) return text;
  const { enum: options, anyOf, type } = schema;
  if (Array.isArray(options) && options.length > 0) return options[0];
  if (Array.isArray(anyOf) && anyOf.length > 0) return exampleValue(anyOf[0], text, depth + 1);
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
      return [exampleValue(schema['items'], text, depth + 1)];
    case 'object':
      return exampleObject(schema, text, depth + 1);
    default:
      return text;
  }
}

/** Returns an object with every member of a schema. */
export function exampleObject({ properties }: JsonObject, text: string, depth = 0): JsonObject {
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, exampleValue(schema, text, depth)]),
  );
}

function firstNumber(text: string): number {
  return Number(/-?\d+(?:\.\d+)?/.exec(text)?.[0] ?? 1);
}
