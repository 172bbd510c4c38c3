import type { PythonObject, PythonValue } from '@millrace/python-text';
import { Message, jsonDumpsCompactAscii } from '@millrace/python-text';
import { encodeValue } from '../../values/encode-value';
import type { LiveObjects } from '../../values/live-objects';

/** Objects are compared by their descriptions alone. */
const described: LiveObjects = {
  numberOf: () => 0,
  host: refuse,
  wrap: refuse,
  textStream: refuse,
  referenceOf: () => null,
};

function refuse(): never {
  throw new Error('A compared value has no process.');
}

const identifiers = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const moments = /\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?( ?UTC|\+00:00|Z)?/g;

/**
 * Returns a value as JSON in which types differ (`$message`, `$data`, `$table`, `2` and `2.0`), without identifiers and
 * moments, which are new in each run.
 */
export function comparable(value: PythonValue): PythonValue {
  return withoutMoments(encodeValue(withoutLiveObjects(value), described));
}

/** Returns JSON of the engine without identifiers and moments. */
export function comparableJson(value: unknown): PythonValue {
  return withoutMoments(value as PythonValue);
}

function withoutLiveObjects(value: PythonValue): PythonValue {
  return value instanceof Message && value.fields.stream !== null ? new Message({ text: value.text }) : value;
}

function withoutMoments(value: PythonValue): PythonValue {
  if (typeof value === 'string') return value.replace(identifiers, '<id>').replace(moments, '<time>');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly PythonValue[]).map(withoutMoments);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value as PythonObject);
  return Object.fromEntries(members.map(([name, content]) => [name, withoutMoments(content)]));
}

/** The first difference of two values: its place and both values. */
export interface FirstDifference {
  readonly at: string;
  readonly native: PythonValue;
  readonly python: PythonValue;
}

/** Returns the first difference, including the order of members; null for equal values. */
export function firstDifference(native: PythonValue, python: PythonValue, at = ''): FirstDifference | null {
  if (textOf(native) === textOf(python)) return null;
  // The members of an object that only one side has are compared one by one, too.
  if (native === absent && isObject(python)) return firstDifference({}, python, at);
  if (python === absent && isObject(native)) return firstDifference(native, {}, at);
  const [one, other] = [tagOf(native), tagOf(python)];
  if (one !== other) return { at: `${at}.type`, native: one ?? native, python: other ?? python };
  if (isContainer(native) && isContainer(python) && Array.isArray(native) === Array.isArray(python)) {
    for (const key of new Set([...Object.keys(native), ...Object.keys(python)])) {
      const place = at === '' ? key : `${at}.${key}`;
      const difference = firstDifference(member(native, key), member(python, key), place);
      if (difference !== null) return difference;
    }
  }
  return { at, native, python };
}

/** Returns the tag of a value of Langflow, such as `$message`. */
function tagOf(value: PythonValue): string | null {
  if (!isContainer(value) || Array.isArray(value)) return null;
  const [only = '', ...others] = Object.keys(value);
  return others.length === 0 && only.startsWith('$') ? only : null;
}

const absent = '<absent>';

function member(container: object, key: string): PythonValue {
  return Object.hasOwn(container, key) ? ((container as Record<string, PythonValue>)[key] ?? null) : absent;
}

function isContainer(value: PythonValue): value is PythonObject {
  return typeof value === 'object' && value !== null && (Array.isArray(value) || isPlain(value));
}

function isObject(value: PythonValue): boolean {
  return (
    isContainer(value) && !Array.isArray(value) && Object.keys(value).length > 0 && tagOf(value) === null
  );
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function textOf(value: PythonValue): string {
  return jsonDumpsCompactAscii(value);
}
