import { ComponentError, isDict } from '@millrace/flow';
import { Data, DataFrame, PythonFloat } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { AnswerShape } from '../../integrations/models/chat-protocol';

type JsonSchema = Readonly<Record<string, unknown>>;

/** One member of the objects that a model must find. */
export interface SchemaField {
  readonly name: string;
  readonly description: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'any';
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
  list: 'any',
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

/** The name of a single object in the schema of an answer, and of the answer unless the node names it. */
const OBJECT = 'OutputModel';

/**
 * Returns the shape of an answer: at least one object with these fields, under "objects". Its JSON Schema is the one that
 * Langflow's models get for the same fields, with their titles.
 */
export function answerShape(fields: readonly SchemaField[], name = OBJECT): Required<AnswerShape> {
  const description = `A list of ${name}.`;
  const object = {
    type: 'object',
    title: OBJECT,
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    required: fields.map((field) => field.name),
  };
  const items = { $ref: `#/$defs/${OBJECT}` };
  const schema = {
    $defs: { [OBJECT]: object },
    type: 'object',
    title: name,
    description,
    properties: { objects: { type: 'array', minItems: 1, items, title: 'Objects', description } },
    required: ['objects'],
  };
  return { name, description, schema };
}

function fieldSchema({ name, type, multiple, description }: SchemaField): JsonSchema {
  const one = valueSchema(type);
  return { ...(multiple ? { type: 'array', items: one } : one), title: titleOf(name), description };
}

function valueSchema(type: SchemaField['type']): JsonSchema {
  if (type === 'any') return {};
  return type === 'object' ? { type, additionalProperties: true } : { type };
}

/** Returns a name as pydantic titles it: each word begins with a capital. */
function titleOf(name: string): string {
  const words = name.replaceAll(
    /\p{L}+/gu,
    (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
  );
  return words.replaceAll('_', ' ').trim();
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
