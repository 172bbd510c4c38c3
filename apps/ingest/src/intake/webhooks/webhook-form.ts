import type { IncomingMessage } from 'node:http';
import { bodyTooLarge, HttpError, refuseUnstorable } from '@millrace/http';

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
  const fields: (readonly [string, string])[] = [];
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    if (fields.length === maximumFields)
      throw new HttpError('body_too_large', `The body has more than ${maximumFields} members.`);
    const end = pair.indexOf('=');
    fields.push([decoded(end < 0 ? pair : pair.slice(0, end)), end < 0 ? '' : decoded(pair.slice(end + 1))]);
  }
  const json = JSON.stringify(objectOfFields(fields));
  const size = Buffer.byteLength(json);
  if (size > maximumBytes) throw bodyTooLarge(size, maximumBytes);
  return json;
}

/** Returns an object of named values in their order; a name that occurs several times has a list. */
export function objectOfFields(fields: readonly (readonly [name: string, value: unknown])[]): object {
  const values = new Map<string, unknown[]>();
  for (const [name, value] of fields) {
    const before = values.get(name);
    if (before === undefined) values.set(name, [value]);
    else before.push(value);
  }
  return Object.fromEntries([...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]));
}

function decoded(encoded: string): string {
  let text: string;
  try {
    text = decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    throw new HttpError('undecodable_body', 'The form contains an invalid escape.');
  }
  refuseUnstorable(text);
  return text;
}
