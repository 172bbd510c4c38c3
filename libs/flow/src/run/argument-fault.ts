import type { PythonObject, PythonValue } from '@millrace/python-text';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Returns a sentence about the first argument that does not fit the JSON Schema of a tool's arguments; null if there is none.
 * Checks which arguments are given, their types and their choices; the tool checks what is within them.
 */
export function argumentFault(schema: Schema, args: PythonObject): string | null {
  const properties = asSchema(schema['properties']) ?? {};
  const required = Array.isArray(schema['required']) ? (schema['required'] as readonly unknown[]) : [];
  const missing = required.find((name) => typeof name === 'string' && !Object.hasOwn(args, name));
  if (missing !== undefined) return `The argument "${String(missing)}" is missing.`;
  for (const [name, value] of Object.entries(args)) {
    const property = Object.hasOwn(properties, name) ? asSchema(properties[name]) : null;
    if (property === null) {
      if (schema['additionalProperties'] === false) return `There is no argument "${name}".`;
    } else if (!fits(property, value))
      return `The argument "${name}" does not fit ${JSON.stringify(property)}.`;
  }
  return null;
}

function fits(schema: Schema, value: PythonValue): boolean {
  const { type, enum: choices, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    const options = (anyOf as readonly unknown[]).map(asSchema).filter((option) => option !== null);
    if (options.length > 0 && !options.some((option) => fits({ ...option, anyOf: undefined }, value)))
      return false;
  }
  if (Array.isArray(choices) && isPlain(value) && !choices.includes(value)) return false;
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? (type as readonly unknown[]) : [];
  return types.length === 0 || types.some((name) => isOf(String(name), value));
}

function isPlain(value: PythonValue): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

function isOf(type: string, value: PythonValue): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}

function asSchema(value: unknown): Schema | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : null;
}
