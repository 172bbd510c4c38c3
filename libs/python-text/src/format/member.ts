import { PythonFloat } from '../values/python-float';
import { PythonFormatError } from './python-format-error';
import { repr } from '../repr/repr';
import { typeName } from '../values/type-name';
import { Data, Message } from '../values/python-value';
import type { PythonObject, PythonValue } from '../values/python-value';
import { messageData } from '../values/message-data';
import type { MemberStep } from './field-name';

/**
 * Resolves one step of a replacement field: an attribute of a Data or a Message, an element of a list or a string, a
 * member of a dict. Methods and internals of Python's classes are not available. Throws Python's AttributeError,
 * KeyError, IndexError or TypeError.
 */
export function lookUpMember(value: PythonValue, step: MemberStep): PythonValue {
  return step.kind === 'attribute' ? attribute(value, step.name) : item(value, step);
}

function attribute(value: PythonValue, name: string): PythonValue {
  if (value instanceof Message || value instanceof Data) {
    const members = value instanceof Message ? messageMembers(value) : dataMembers(value);
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member !== undefined) return member;
  }
  if (name === 'real' && isNumber(value)) return value;
  const message = `'${typeName(value)}' object has no attribute '${name}'`;
  throw new PythonFormatError('AttributeError', message);
}

function messageMembers(message: Message): PythonObject {
  const data = messageData(message) as unknown as PythonObject;
  return { ...data, data, text_key: 'text', default_value: '' };
}

function dataMembers({ data, textKey, defaultValue }: Data): PythonObject {
  return { ...data, data, text_key: textKey, default_value: defaultValue };
}

function isNumber(value: PythonValue): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof PythonFloat;
}

function item(value: PythonValue, { name, index }: MemberStep): PythonValue {
  if (typeof value === 'string') return element(Array.from(value), name, index, 'string');
  if (Array.isArray(value)) return element(value, name, index, 'list');
  const kind = typeName(value);
  if (kind !== 'dict') throw new PythonFormatError('TypeError', `'${kind}' object is not subscriptable`);
  const dict = value as PythonObject;
  // A dict from JSON has only text keys: a number is never one of them.
  const member = index === null && Object.hasOwn(dict, name) ? dict[name] : undefined;
  if (member === undefined)
    throw new PythonFormatError('KeyError', index === null ? repr(name) : String(index));
  return member;
}

function element(
  elements: readonly PythonValue[],
  name: string,
  index: number | null,
  kind: 'list' | 'string',
): PythonValue {
  if (index === null) {
    const message =
      kind === 'list'
        ? 'list indices must be integers or slices, not str'
        : "string indices must be integers, not 'str'";
    throw new PythonFormatError('TypeError', message);
  }
  const member = elements[index];
  if (member === undefined) throw new PythonFormatError('IndexError', `${kind} index out of range`);
  return member;
}
