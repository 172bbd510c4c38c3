import { messageData } from './message-data';
import type { Message, PythonObject } from './python-value';

/** The Python class of an object that is an instance of a model there, and not a dictionary. */
const names = new WeakMap<object, string>();

/** Returns the name of the class that Python prints for an object; undefined for a dictionary. */
export function modelClass(value: object): string | undefined {
  return names.get(value);
}

/**
 * Returns the `.data` of a message as the members of a Data. The properties of a message that is not stored are instances of
 * models, which Python prints otherwise than dictionaries.
 */
export function messageMembers(message: Message): PythonObject {
  const members = messageData(message) as unknown as PythonObject;
  if (message.fields.id !== null) return members;
  const { properties } = message.fields;
  const { source, usage } = properties;
  const model = {
    ...properties,
    source: named('Source', source),
    usage: usage === null ? null : named('Usage', usage),
  };
  return { ...members, properties: named('Properties', model) as unknown as PythonObject };
}

function named<Value extends object>(name: string, value: Value): Value {
  const copy = { ...value };
  names.set(copy, name);
  return copy;
}
