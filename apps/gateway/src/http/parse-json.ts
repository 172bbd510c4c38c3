import { isUtf8 } from 'node:buffer';
import { parsePythonJson, PythonJsonError } from '@millrace/flow';
import { RequestError } from './request-error';

/** How deep a body may nest: recursion over it must never be a danger, here or further on. */
const MAXIMUM_DEPTH = 64;

/** Parses a body; a fault is told with Python's message and character offset, as FastAPI does. */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new RequestError('undecodable_body', 'There was an error parsing the body');
  const text = body.toString('utf8');
  const tooDeep = text.length > MAXIMUM_DEPTH ? positionBelow(text, MAXIMUM_DEPTH) : -1;
  if (tooDeep >= 0) throw invalidJson(tooDeep, `Nested deeper than ${MAXIMUM_DEPTH} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw pythonFault(text);
  }
  // Text with NUL cannot be stored; the look for its escape is cheap, the walk over the value is not.
  if (text.includes('\\u0000') && holdsNul(value))
    throw invalidJson(text.indexOf('\\u0000'), 'NUL character in text');
  return value;
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

function pythonFault(text: string): RequestError {
  try {
    parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) return invalidJson(error.position, error.reason);
    throw error;
  }
  // What Python takes and JSON does not: NaN and the infinities. No answer could carry them.
  return invalidJson(
    Math.max(0, text.search(/NaN|Infinity/)),
    'Out of range float values are not JSON compliant',
  );
}

function invalidJson(position: number, message: string): RequestError {
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
