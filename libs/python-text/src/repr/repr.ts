import { floatRepr } from '../numbers/float-repr';
import { integerText } from '../numbers/integer-text';
import { PythonFloat } from '../values/python-float';
import { stringRepr } from './string-repr';
import { tableText } from '../tables/table-text';
import { typeName } from '../values/type-name';
import { Data, DataFrame, Message } from '../values/python-value';
import type { PythonObject, PythonValue } from '../values/python-value';
import { messageData } from '../values/message-data';
import { modelClass } from '../values/model-classes';

/** Returns Python's `repr` of a value: `'text'`, `None`, `1.0`, `[1, 'a']`, `{'a': True}`, `JSON(text_key=…)`. */
export function repr(value: PythonValue): string {
  switch (typeof value) {
    case 'string':
      return stringRepr(value);
    case 'boolean':
      return value ? 'True' : 'False';
    case 'bigint':
      return value.toString();
    case 'number':
      return Number.isInteger(value) ? integerText(value) : floatRepr(value);
    default:
      return value === null ? 'None' : objectRepr(value);
  }
}

function objectRepr(value: object): string {
  if (value instanceof PythonFloat) return floatRepr(value.value);
  if (Array.isArray(value)) return `[${value.map((item: PythonValue) => repr(item)).join(', ')}]`;
  if (value instanceof Message) return messageRepr(value);
  if (value instanceof Data) return dataRepr(value);
  if (value instanceof DataFrame) return tableText(value, repr);
  // A model's settings contain its key: they are never printed.
  if (typeName(value as PythonValue) === 'LanguageModel') return 'LanguageModel(...)';
  return dictRepr(value as PythonObject);
}

/** Returns the members of an instance of a model, as Python prints them. */
export function modelMembers(model: object, separator: string): string {
  const members = Object.entries(model as PythonObject).map(([key, member]) => `${key}=${repr(member)}`);
  return members.join(separator);
}

function dictRepr(object: PythonObject): string {
  const name = modelClass(object);
  if (name !== undefined) return `${name}(${modelMembers(object, ', ')})`;
  const members = Object.entries(object).map(([key, member]) => `${stringRepr(key)}: ${repr(member)}`);
  return `{${members.join(', ')}}`;
}

function dataRepr({ textKey, data, defaultValue }: Data): string {
  return `JSON(text_key=${repr(textKey)}, data=${dictRepr(data)}, default_value=${repr(defaultValue)})`;
}

// Python prints the classes of the members, on which no flow can depend; here it only matters that no member is lost.
function messageRepr(message: Message): string {
  const data = messageData(message) as unknown as PythonObject;
  return `Message(text_key='text', data=${dictRepr(data)}, default_value='', text=${stringRepr(message.text)})`;
}
