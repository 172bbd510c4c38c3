import { isDict } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';

const shownCharacters = 300;

const memberNames = [
  'message',
  'Message',
  'error',
  'detail',
  'error_message',
  'errorMessage',
  'errors',
  'msg',
  'description',
  'reason',
  'status',
];

/**
 * Returns the text of an error in the JSON of a service: under one of the usual names, which can be nested. Null when
 * there is none.
 */
export function errorTextIn(value: PythonValue): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value;
  if (Array.isArray(value)) {
    const items = value as readonly PythonValue[];
    return validationText(items) ?? errorTextIn(items[0] ?? null);
  }
  if (!isDict(value)) return null;
  for (const name of memberNames) {
    const found = errorTextIn(value[name] ?? null);
    if (found !== null) return found;
  }
  const [only = null, ...others] = Object.values(value);
  return others.length === 0 && isDict(only) ? errorTextIn(only) : null;
}

/** Returns the text of errors as pydantic lists them, each with the place in the request; null for another list. */
function validationText(items: readonly PythonValue[]): string | null {
  const lines = items.flatMap((item) => {
    if (!isDict(item) || typeof item['msg'] !== 'string') return [];
    const place = Array.isArray(item['loc']) ? `${item['loc'].join('.')}: ` : '';
    return [place + item['msg']];
  });
  return lines.length === 0 ? null : lines.join('; ');
}

/** Returns the beginning of a body in one line: the visible text of a page of HTML, without control characters. */
export function bodyExcerpt(text: string): string {
  const start = text.slice(0, 20 * shownCharacters);
  const isPage = /^\s*(?:<!--.*?-->\s*)?<(?:!doctype|html|head|body|title|h\d|p|center)\b/is.test(start);
  const words = isPage
    ? start.replace(/<(script|style)\b.*?(?:<\/\1>|$)/gis, ' ').replace(/<[^>]*(?:>|$)/g, ' ')
    : start;
  // eslint-disable-next-line no-control-regex
  const line = words.replace(/[\s\u0000-\u001f\u007f\ufffd]+/g, ' ').trim();
  const shown = line.length > shownCharacters ? `${line.slice(0, shownCharacters)}…` : line;
  return isPage ? `a page${shown === '' ? '' : ` that says "${shown}"`}` : shown;
}
