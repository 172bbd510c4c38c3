import { ComponentError, isDict } from '@millrace/flow';
import { Data, DataFrame, PythonFloat } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

type JsonSchema = Readonly<Record<string, unknown>>;

/** One member of the objects that a model must find. */
export interface SchemaField {
  readonly name: string;
  readonly description: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  readonly multiple: boolean;
}

const types: Readonly<Record<string, SchemaField['type']>> = {
  str: 'string',
  string: 'string',
  text: 'string',
  int: 'integer',
  integer: 'integer',
  float: 'number',
  number: 'number',
  bool: 'boolean',
  boolean: 'boolean',
  dict: 'object',
  object: 'object',
  // A list of values of any type; its description states which.
  list: 'string',
};

/** Reads the rows of an output schema: name, description, type and whether the field is a list. */
export function schemaFields(rows: readonly PythonObject[]): readonly SchemaField[] {
  return rows.map((row) => {
    const { name = '', description = '', type = 'str', multiple = false } = row;
    const known = typeof type === 'string' ? types[type.toLowerCase()] : undefined;
    if (typeof name !== 'string' || name === '')
      throw new ComponentError('A field of the output schema has no name.');
    if (known === undefined) {
      throw new ComponentError(
        `The field "${name}" of the output schema has an unknown type: ${String(type)}`,
      );
    }
    return {
      name,
      description: typeof description === 'string' ? description : '',
      type: known,
      // Saved tables often contain the boolean as a text.
      multiple:
        type === 'list' ||
        multiple === true ||
        (typeof multiple === 'string' && multiple.toLowerCase() === 'true'),
    };
  });
}

/** Returns the JSON Schema of an answer: at least one object with these fields, under "objects". */
export function answerSchema(fields: readonly SchemaField[]): JsonSchema {
  const object = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.map(({ name }) => name),
  };
  return {
    type: 'object',
    properties: { objects: { type: 'array', minItems: 1, items: object } },
    required: ['objects'],
  };
}

function fieldSchema({ type, multiple, description }: SchemaField): JsonSchema {
  return multiple ? { type: 'array', items: { type }, description } : { type, description };
}

/**
 * Returns the objects of a model's answer, each with exactly the fields of the schema; a field that the model left out
 * is null. A single object of the schema is accepted as well.
 */
export function answeredObjects(
  answer: PythonValue,
  fields: readonly SchemaField[],
): readonly PythonObject[] {
  return objectsOf(answer).map((object) =>
    Object.fromEntries(fields.map((field) => [field.name, fieldValue(object[field.name] ?? null, field)])),
  );
}

/** Returns a single object as it is, several as a list under "results". */
export function structuredData(objects: readonly PythonObject[]): Data {
  const [first] = objects;
  return new Data(objects.length === 1 && first !== undefined ? first : { results: objects });
}

/** Returns a table with one row for each object. */
export function structuredTable(objects: readonly PythonObject[]): DataFrame {
  return new DataFrame(objects);
}

function objectsOf(answer: PythonValue): readonly PythonObject[] {
  const list = isDict(answer) ? (answer['objects'] ?? [answer]) : answer;
  const items: readonly PythonValue[] = Array.isArray(list) ? list : [list];
  return items.filter((item) => isDict(item));
}

function fieldValue(value: PythonValue, { type, multiple }: SchemaField): PythonValue {
  if (value === null) return null;
  if (multiple) {
    const items: readonly PythonValue[] = Array.isArray(value) ? value : [value];
    return items.map((item) => scalar(item, type));
  }
  return scalar(value, type);
}

/** Models sometimes write numbers as texts; a number of the type float is printed with its decimal point. */
function scalar(value: PythonValue, type: SchemaField['type']): PythonValue {
  const isNumeric = type === 'number' || type === 'integer';
  const number = isNumeric && typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return value;
  return type === 'number' && Number.isInteger(number) ? new PythonFloat(number) : number;
}
