import { jsonValue } from '@millrace/flow';
import { parsePythonJson, parseRegex, PythonJsonError, PythonRegexError } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { checkSize, QueryError } from './query-error';
import { amountOf, textOf } from './query-values';

/** Returns a text unchanged, and any other value as JSON. */
export function shownText(value: PythonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

/** Returns a value as JSON. */
export function jsonText(value: PythonValue): string {
  return JSON.stringify(jsonValue(value));
}

/** Parses a JSON text. Throws a QueryError. */
export function parsedJson(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch (error) {
    if (error instanceof PythonJsonError) throw new QueryError(error.message);
    throw error;
  }
}

/** Converts a text to a number; returns a number unchanged. Throws a QueryError. */
export function numberIn(value: PythonValue): PythonValue {
  if (typeof value !== 'string') return amountOf(value);
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(number)) throw new QueryError(`Cannot use ${JSON.stringify(value)} as a number`);
  return number;
}

/** Joins the items of a list to one text; null is empty. */
export function joinedText(items: readonly PythonValue[], separator: string): string {
  const texts = items.map((item) => (item === null ? '' : shownText(item)));
  checkSize(texts.reduce((size, text) => size + text.length + separator.length, 0));
  return texts.join(separator);
}

/** Splits a text at a separator. */
export function splitText(text: string, separator: string): readonly string[] {
  return text === '' ? [] : text.split(separator);
}

/** Whether a regular expression matches a part of a text. Throws a QueryError for an invalid expression. */
export function isFound(pattern: PythonValue, text: PythonValue): boolean {
  try {
    return parseRegex(textOf(pattern)).isFoundIn(textOf(text));
  } catch (error) {
    if (error instanceof PythonRegexError) throw new QueryError(`Invalid regex pattern: ${error.message}`);
    throw error;
  }
}
