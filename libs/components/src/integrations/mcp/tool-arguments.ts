import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { Data, Message, parsePythonJson, str } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/**
 * Returns the arguments of a tool from a node's own fields. A field named `a.b` is the member b of the argument a.
 * Empty fields are left out, unless the tool requires them.
 */
export function toolArguments(
  { inputSchema }: Pick<Tool, 'inputSchema'>,
  fields: Readonly<Record<string, PythonValue>>,
): PythonObject {
  const required = new Set(inputSchema.required ?? []);
  const result: Record<string, PythonValue> = {};
  for (const [name, schema] of Object.entries(inputSchema.properties ?? {})) {
    const value = argument(fields[name] ?? null, typeOf(schema)) ?? members(name, fields);
    if (value !== null && (value !== '' || required.has(name))) result[name] = value;
  }
  return result;
}

function members(name: string, fields: Readonly<Record<string, PythonValue>>): PythonObject | null {
  const inner = Object.entries(fields).filter(([field]) => field.startsWith(`${name}.`));
  const given = inner
    .map(([field, value]) => [field.slice(name.length + 1), argument(value, '')] as const)
    .filter(([, value]) => value !== null && value !== '');
  return given.length === 0 ? null : Object.fromEntries(given);
}

/** Converts the text of an edge or a text field to the type that the tool expects. */
function argument(value: PythonValue, type: string): PythonValue {
  if (value instanceof Message) return argument(value.text, type);
  if (value instanceof Data) return type === 'string' ? str(value.data) : value.data;
  if (typeof value !== 'string' || type === 'string' || type === '' || value.trim() === '') return value;
  try {
    return parsePythonJson(value);
  } catch {
    return value;
  }
}

/** Returns the type of a schema, also when null is allowed as well; empty for several types or any. */
function typeOf(schema: unknown): string {
  const { type, anyOf } = schema as { readonly type?: unknown; readonly anyOf?: unknown };
  const types: readonly unknown[] = Array.isArray(type)
    ? type
    : Array.isArray(anyOf)
      ? anyOf.map(typeOf)
      : [type];
  const [only, ...others] = types.filter((one) => one !== 'null');
  return typeof only === 'string' && others.length === 0 ? only : '';
}
