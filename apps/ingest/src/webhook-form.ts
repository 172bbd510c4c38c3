import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, HttpError } from '@millrace/http';

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Returns whether the body of a request is a form of URL-encoded fields. */
export function isForm({ headers }: IncomingMessage): boolean {
  return FORM.test(headers['content-type'] ?? '');
}

export interface FormLimits {
  readonly maximumFields: number;
  /** Maximum size of the JSON text. */
  readonly maximumBytes: number;
}

/**
 * Returns the fields of a form as the text of a JSON object, in their order: `a=1&b=2&a=3` is `{"a":["1","3"],"b":"2"}`.
 * All values are texts. Throws undecodable_body for an invalid escape, invalid_value for a NUL character, and
 * body_too_large.
 */
export function fieldsOfForm(text: string, { maximumFields, maximumBytes }: FormLimits): string {
  const fields = new Map<string, string | string[]>();
  let count = 0;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    count += 1;
    if (count > maximumFields)
      throw new HttpError('body_too_large', `The body has more than ${maximumFields} members.`);
    const end = pair.indexOf('=');
    const name = decoded(end < 0 ? pair : pair.slice(0, end));
    const value = end < 0 ? '' : decoded(pair.slice(end + 1));
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else if (Array.isArray(before)) before.push(value);
    else fields.set(name, [before, value]);
  }
  const json = JSON.stringify(Object.fromEntries(fields));
  const size = Buffer.byteLength(json);
  if (size > maximumBytes) throw bodyTooLarge(size, maximumBytes);
  return json;
}

function decoded(encoded: string): string {
  let text: string;
  try {
    text = decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw new HttpError('undecodable_body', 'The form contains an invalid escape.');
  }
  if (text.includes('\u0000')) throw new HttpError('invalid_value', 'The body contains a NUL character.');
  return text;
}
