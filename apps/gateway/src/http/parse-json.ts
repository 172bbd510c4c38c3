import { codePointCount, parsePythonJson, PythonFloat, PythonJsonError } from '@millrace/flow';
import type { PythonValue } from '@millrace/flow';
import { decodeJsonBytes } from './decode-json-bytes';
import { RequestError } from './request-error';

/** How deep a body may nest: recursion over it must never be a danger, here or further on. */
const MAXIMUM_DEPTH = 64;

/**
 * Parses a body as Python's json module does, which takes UTF-16, UTF-32, NaN and the infinities besides what JSON is. A
 * fault is told with Python's message and character offset, as FastAPI does.
 */
export function parseJson(body: Buffer): unknown {
  const text = decodeJsonBytes(body);
  if (text === null) throw new RequestError('undecodable_body', 'There was an error parsing the body');
  const tooDeep = text.length > MAXIMUM_DEPTH ? positionBelow(text, MAXIMUM_DEPTH) : -1;
  if (tooDeep >= 0) throw invalidJson(text, tooDeep, `Nested deeper than ${MAXIMUM_DEPTH} levels`);
  const value = parseText(text);
  // Text with NUL cannot be stored; the look for its escape is cheap, the walk over the value is not.
  if (text.includes('\\u0000') && holdsNul(value))
    throw invalidJson(text, text.indexOf('\\u0000'), 'NUL character in text');
  return value;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseAsPython(text);
  }
}

/** Index of the first bracket that opens a level below this one, or -1. One pass, no recursion. */
function positionBelow(text: string, depthLimit: number): number {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x22) {
      index = endOfString(text, index);
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthLimit) return index;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return -1;
}

/** Index of the quote that ends the string which begins here; the text's end when nothing ends it. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(index - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Tells the fault, or takes what JavaScript does not: NaN and the infinities, which answers hold as null. */
function parseAsPython(text: string): unknown {
  // A second byte order mark is no character of JSON.
  if (text.startsWith('\ufeff')) throw invalidJson(text, 0, 'Expecting value');
  try {
    return plainValue(parsePythonJson(text));
  } catch (error) {
    if (!(error instanceof PythonJsonError)) throw error;
    if (error.kind !== 'JSONDecodeError')
      throw new RequestError('undecodable_body', 'There was an error parsing the body', { cause: error });
    throw jsonFault(error.position, error.reason);
  }
}

/** The value as JSON.parse would give it. */
function plainValue(value: PythonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof PythonFloat) return value.value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: PythonValue) => plainValue(item));
  const members = Object.entries(value as Readonly<Record<string, PythonValue>>);
  return Object.fromEntries(members.map(([name, member]) => [name, plainValue(member)]));
}

function invalidJson(text: string, offset: number, message: string): RequestError {
  return jsonFault(codePointCount(text.slice(0, offset)), message);
}

function jsonFault(position: number, message: string): RequestError {
  return new RequestError('invalid_json', [
    {
      type: 'json_invalid',
      loc: ['body', position],
      msg: 'JSON decode error',
      input: {},
      ctx: { error: message },
    },
  ]);
}

function holdsNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\u0000');
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, member]) => key.includes('\u0000') || holdsNul(member));
}
