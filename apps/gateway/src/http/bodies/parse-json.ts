import { findJsonExcess, HttpError, unstorableCharacterInJson, unstorablePosition } from '@millrace/http';
import type { JsonExcess, UnstorableCharacter } from '@millrace/http';
import { codePointCount, parsePythonJson, PythonFloat, PythonJsonError } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { decodeJsonBytes } from './decode-json-bytes';

/** Maximum depth of a body, so that recursion over it is safe in all code. */
const MAXIMUM_DEPTH = 64;

/**
 * Parses a body as Python's json module does, which also accepts UTF-16, UTF-32, NaN and the infinities. An error has
 * Python's message and character offset, as in FastAPI. Depth and number of members are checked before the text is
 * parsed. A text that cannot be stored is refused like an error of syntax. Throws undecodable_body, invalid_json and body_too_large.
 */
export function parseJson(body: Buffer, maximumMembers: number): unknown {
  const text = decodeJsonBytes(body);
  if (text === null) throw new HttpError('undecodable_body', 'There was an error parsing the body');
  const excess = findJsonExcess(text, { maximumDepth: MAXIMUM_DEPTH, maximumMembers });
  if (excess !== null) throw excessRefusal(text, excess, maximumMembers);
  const value = parseText(text);
  const unstorable = unstorableCharacterInJson(text, value);
  if (unstorable !== null) throw unstorableRefusal(text, unstorable);
  return value;
}

function excessRefusal(text: string, { kind, index }: JsonExcess, maximumMembers: number): HttpError {
  if (kind === 'depth') return invalidJson(text, index, `Nested deeper than ${MAXIMUM_DEPTH} levels`);
  return new HttpError('body_too_large', `The body has more than ${maximumMembers} members.`);
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return parseAsPython(text);
  }
}

/**
 * Throws Python's error, or returns values that JavaScript does not parse: NaN and the infinities. Answers have null
 * for them.
 */
function parseAsPython(text: string): unknown {
  // A second byte order mark is not valid JSON.
  if (text.startsWith('\ufeff')) throw invalidJson(text, 0, 'Expecting value');
  try {
    return plainValue(parsePythonJson(text));
  } catch (error) {
    if (!(error instanceof PythonJsonError)) throw error;
    if (error.kind !== 'JSONDecodeError')
      throw new HttpError('undecodable_body', 'There was an error parsing the body', { cause: error });
    throw jsonFault(error.position, error.reason);
  }
}

/** Converts a value to what JSON.parse would return. */
function plainValue(value: PythonValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof PythonFloat) return value.value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: PythonValue) => plainValue(item));
  const members = Object.entries(value as Readonly<Record<string, PythonValue>>);
  return Object.fromEntries(members.map(([name, member]) => [name, plainValue(member)]));
}

function invalidJson(text: string, offset: number, message: string): HttpError {
  return jsonFault(codePointCount(text.slice(0, offset)), message);
}

/** The message has the reason, which answers like those of Langflow 1.13 do not have in `ctx`. */
function unstorableRefusal(text: string, found: UnstorableCharacter): HttpError {
  const position = codePointCount(text.slice(0, unstorablePosition(text)));
  return jsonFault(position, `${found} in text`, `A text cannot be stored: ${found}`);
}

function jsonFault(position: number, message: string, title = 'JSON decode error'): HttpError {
  return new HttpError('invalid_json', [
    {
      type: 'json_invalid',
      loc: ['body', position],
      msg: title,
      input: {},
      ctx: { error: message },
    },
  ]);
}
