import type { IncomingHttpHeaders } from 'node:http';
import type { WebhookPart } from '@millrace/contracts';
import { headerText, HttpError } from '@millrace/http';
import { parsePythonJson, PythonJsonError } from '@millrace/python-text';
import { objectOfFields } from './webhook-form';

/** Names of headers and query parameters that can hold a secret. No run stores them. */
const SECRET =
  /authorization|cookie|token|secret|password|passwd|credential|signature|api[-_]?key|^x-millrace-/i;

/**
 * Returns the payload with parts of its request as the members `_headers` and `_query`, without those whose names are
 * those of secrets. A body that is no JSON object is the member `payload`, as the Webhook component names it. Throws
 * invalid_value for a NUL character in the query.
 */
export function withRequestParts(
  payload: string,
  parts: readonly WebhookPart[],
  { headers, query }: { readonly headers: IncomingHttpHeaders; readonly query: URLSearchParams },
): string {
  const members: string[] = [];
  if (parts.includes('headers')) members.push(`"_headers":${jsonOf(headerFields(headers))}`);
  if (parts.includes('query')) {
    const fields = [...query];
    if (fields.some((texts) => texts.join('').includes('\u0000')))
      throw new HttpError('invalid_value', 'The query contains a NUL character.');
    members.push(`"_query":${jsonOf(fields)}`);
  }
  // After the members of the body, since the last of two members with one name counts.
  return `{${[...bodyMembers(payload), ...members].join(',')}}`;
}

type Fields = readonly (readonly [name: string, value: string])[];

/** Returns the members of a body as JSON text, so that numbers keep their digits. */
function bodyMembers(payload: string): readonly string[] {
  const text = payload.trim();
  if (text === '' || text === 'null') return [];
  if (!isJson(text)) return [`"payload":${JSON.stringify(payload)}`];
  if (!text.startsWith('{')) return [`"payload":${text}`];
  const inner = text.slice(1, -1).trim();
  return inner === '' ? [] : [inner];
}

function isJson(text: string): boolean {
  try {
    parsePythonJson(text);
    return true;
  } catch (error) {
    if (error instanceof PythonJsonError) return false;
    throw error;
  }
}

function headerFields(headers: IncomingHttpHeaders): Fields {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [[name, headerText(typeof value === 'string' ? value : value.join(', '))] as const],
  );
}

function jsonOf(fields: Fields): string {
  return JSON.stringify(objectOfFields(fields.filter(([name]) => !SECRET.test(name))));
}
