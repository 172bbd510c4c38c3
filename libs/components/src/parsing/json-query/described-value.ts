import { isDict, jsonValue } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';
import { jsonType } from './json-order';

/** Longer JSON is cut, as in jq's errors. */
const maximumBytes = 29;
const endings: Readonly<Record<string, string>> = { string: '..."', array: '...]', object: '...}' };
const maximumEndingBytes = 4;

/** Returns a value as jq's errors name it: its type and the beginning of its JSON, such as `array ([1,2])`. */
export function describedValue(value: PythonValue): string {
  const type = jsonType(value);
  return `${type} (${shortJson(value, endings[type] ?? '...')})`;
}

function shortJson(value: PythonValue, ending: string): string {
  let json = '';
  for (const piece of piecesOf(value)) {
    json += piece;
    if (Buffer.byteLength(json) > maximumBytes)
      return firstBytes(json, maximumBytes - maximumEndingBytes) + ending;
  }
  return json;
}

/** Yields the JSON of a value in pieces, so that a large value is not written completely. */
function* piecesOf(value: PythonValue): Generator<string> {
  if (typeof value === 'string') {
    yield JSON.stringify(value.slice(0, maximumBytes));
  } else if (Array.isArray(value)) {
    const items: readonly PythonValue[] = value;
    for (const [position, item] of items.entries()) {
      yield position === 0 ? '[' : ',';
      yield* piecesOf(item);
    }
    yield items.length === 0 ? '[]' : ']';
  } else if (isDict(value)) {
    const members = Object.entries(value);
    for (const [position, [name, member]] of members.entries()) {
      yield position === 0 ? '{' : ',';
      yield* piecesOf(name);
      yield ':';
      yield* piecesOf(member);
    }
    yield members.length === 0 ? '{}' : '}';
  } else {
    yield JSON.stringify(jsonValue(value));
  }
}

/** Returns the whole characters in the first bytes of a text. */
function firstBytes(text: string, count: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > count) return kept;
    kept += character;
  }
  return kept;
}
