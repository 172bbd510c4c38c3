import { Data, Message, parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { ComponentError } from '../../errors';
import type { Input } from '../input';
import { classText } from './class-text';
import type { InputOptions } from './input-options';
import { commonInputMembers } from './input-options';
import { isDict } from './python-dict';

export interface DictionaryOptions extends InputOptions {
  readonly default?: PythonObject;
}

/** Names and values. Several objects, or rows of `{ key, value }`, are merged into one; text is parsed as JSON. */
export function dictionary(options: DictionaryOptions = {}): Input<PythonObject> {
  const fallback = options.default ?? {};
  return {
    ...commonInputMembers(options),
    kind: 'Dict',
    inputTypes: options.inputTypes ?? [],
    default: fallback,
    convert: (value) => {
      if (value === null || value === '') return fallback;
      return dictOf(typeof value === 'string' ? parsed(value) : value);
    },
  };
}

function parsed(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch {
    return text;
  }
}

/** Returns the names and values of a saved or connected value; throws a ComponentError when it has none. */
export function dictOf(value: PythonValue): PythonObject {
  if (value instanceof Data) return value.data;
  if (value instanceof Message) return { text: value.text };
  if (Array.isArray(value)) {
    const parts: readonly PythonValue[] = value;
    return Object.fromEntries(parts.flatMap((part) => Object.entries(entryOf(dictOf(part)))));
  }
  if (isDict(value)) return value;
  throw new ComponentError(`Invalid value type ${classText(value)}`);
}

function entryOf(part: PythonObject): PythonObject {
  const { key, value } = part;
  return typeof key === 'string' && value !== undefined && Object.keys(part).length === 2
    ? { [key]: value }
    : part;
}
