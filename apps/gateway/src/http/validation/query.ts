import type { IncomingMessage } from 'node:http';
import { HttpError } from '@millrace/http';
import { dateTimeItem, parseDateTime } from './date-time';
import { parseUuidStrictly } from './uuid-text';

const NONE = new URLSearchParams();

/** Returns the query of a request's URL. */
export function queryOf(request: IncomingMessage): URLSearchParams {
  const url = request.url ?? '';
  const start = url.indexOf('?');
  return start < 0 ? NONE : new URLSearchParams(url.slice(start + 1));
}

const TRUE_WORDS = new Set(['true', '1', 'on', 'yes', 't', 'y']);
const FALSE_WORDS = new Set(['false', '0', 'off', 'no', 'f', 'n']);

/** Parses a boolean as pydantic does; returns undefined for other text. */
export function booleanWord(text: string): boolean | undefined {
  const lower = text.toLowerCase();
  if (TRUE_WORDS.has(lower)) return true;
  return FALSE_WORDS.has(lower) ? false : undefined;
}

/** Reads a boolean parameter. A list is split at commas and its last entry counts, as in Langflow. */
export function booleanParameter(query: URLSearchParams, name: string, absent: boolean): boolean {
  const text = query.getAll(name).at(-1)?.split(',').at(-1);
  if (text === undefined) return absent;
  const value = booleanWord(text);
  if (value !== undefined) return value;
  throw invalid(name, text, 'bool_parsing', 'Input should be a valid boolean, unable to interpret input');
}

/** Reads an integer parameter within bounds. Throws invalid_request with pydantic's texts. */
export function integerParameter(
  query: URLSearchParams,
  name: string,
  {
    absent,
    minimum,
    maximum,
    refusesMore = false,
  }: {
    readonly absent: number;
    readonly minimum: number;
    readonly maximum: number;
    /** Whether a number above the maximum is refused; else it is reduced to it. */
    readonly refusesMore?: boolean;
  },
): number {
  const text = query.get(name);
  if (text === null) return absent;
  if (!/^[+-]?\d{1,15}$/.test(text.trim())) {
    const message = 'Input should be a valid integer, unable to parse string as an integer';
    throw invalid(name, text, 'int_parsing', message);
  }
  const value = Number(text);
  if (value < minimum) {
    const message = `Input should be greater than or equal to ${minimum}`;
    throw invalid(name, text, 'greater_than_equal', message, { ge: minimum });
  }
  if (value > maximum && refusesMore) {
    const message = `Input should be less than or equal to ${maximum}`;
    throw invalid(name, text, 'less_than_equal', message, { le: maximum });
  }
  return Math.min(value, maximum);
}

/** Reads a parameter with a fixed set of words. Throws invalid_request with pydantic's text for others. */
export function wordParameter<const Word extends string>(
  query: URLSearchParams,
  name: string,
  { words, absent }: { readonly words: readonly Word[]; readonly absent: Word },
): Word {
  const text = query.get(name);
  if (text === null) return absent;
  const word = words.find((candidate) => candidate === text);
  if (word !== undefined) return word;
  const expected = words.map((candidate) => `'${candidate}'`).join(' or ');
  throw invalid(name, text, 'literal_error', `Input should be ${expected}`, { expected });
}

/** Reads words of a fixed set that commas separate; undefined when the parameter is absent. Throws invalid_request for others. */
export function wordsParameter<const Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly Word[],
): readonly Word[] | undefined {
  const texts = query.getAll(name).flatMap((text) => text.split(','));
  if (texts.length === 0) return undefined;
  const expected = words.map((word) => `'${word}'`).join(' or ');
  return texts.map((text) => {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw invalid(name, text, 'enum', `Input should be ${expected}`, { expected });
  });
}

/** Reads a UUID parameter in canonical form; undefined when it is absent. */
export function uuidParameter(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  return text === null ? undefined : parseUuidStrictly(text, ['query', name]);
}

/** Reads a point in time: ISO 8601, or Unix seconds; undefined when it is absent. */
export function timeParameter(query: URLSearchParams, name: string): Date | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const time = parseDateTime(text);
  if (time !== null) return time;
  throw new HttpError('invalid_request', [dateTimeItem(text, ['query', name])]);
}

function invalid(name: string, input: string, type: string, msg: string, ctx?: object): HttpError {
  const item = { type, loc: ['query', name], msg, input, ...(ctx ? { ctx } : {}) };
  return new HttpError('invalid_request', [item]);
}
