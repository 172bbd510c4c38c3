import type { ValidationItem, Location } from './validation-item';

type Schema = Readonly<Record<string, unknown>>;

const typeErrors: Readonly<Record<string, { readonly type: string; readonly noun: string }>> = {
  string: { type: 'string_type', noun: 'string' },
  boolean: { type: 'bool_type', noun: 'boolean' },
  integer: { type: 'int_type', noun: 'integer' },
  number: { type: 'float_type', noun: 'number' },
  array: { type: 'list_type', noun: 'list' },
  object: { type: 'dict_type', noun: 'dictionary' },
};

/** Returns the item for a value of a wrong type, by the schema of its location. */
export function typeItem(schema: Schema, loc: Location, input: unknown): ValidationItem {
  if (schema['x-model'] === true) {
    const msg = 'Input should be a valid dictionary or object to extract fields from';
    return { type: 'model_attributes_type', loc, msg, input };
  }
  const className: unknown = schema['x-class'];
  if (typeof className === 'string') {
    const msg = `Input should be a valid dictionary or instance of ${className}`;
    return { type: 'model_type', loc, msg, input, ctx: { class_name: className } };
  }
  if (schema['format'] === 'uuid') {
    const msg = 'UUID input should be a string, bytes or UUID object';
    return { type: 'uuid_type', loc, msg, input };
  }
  const wanted = Array.isArray(schema['type']) ? (schema['type'] as unknown[])[0] : schema['type'];
  return namedTypeItem(String(wanted), loc, input);
}

/** The allowed types of a tweak, as pydantic names the branches of their union. */
const tweakBranches = [
  ['bool', 'boolean'],
  ['int', 'integer'],
  ['float', 'number'],
  ['str', 'string'],
  ['dict[str,any]', 'object'],
] as const;

/** Returns the items for a tweak of a wrong type: one for each allowed type. */
export function tweakItems(loc: Location, input: unknown): readonly ValidationItem[] {
  return tweakBranches.map(([branch, wanted]) => namedTypeItem(wanted, [...loc, branch], input));
}

function namedTypeItem(wanted: string, loc: Location, input: unknown): ValidationItem {
  const { type, noun } = typeErrors[wanted] ?? { type: 'value_error', noun: wanted };
  return { type, loc, msg: `Input should be a valid ${noun}`, input };
}
