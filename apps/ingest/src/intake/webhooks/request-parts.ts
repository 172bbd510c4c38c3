import type { IncomingHttpHeaders } from 'node:http';
import type { FlowSettings } from '@millrace/flow';
import { headerText, refuseUnstorable } from '@millrace/http';
import { parsePythonJson, PythonJsonError } from '@millrace/python-text';
import { objectOfFields } from './webhook-payload';

/** Names of headers and query parameters that can hold a secret. No run stores them. */
const SECRET =
  /authorization|cookie|token|secret|password|passwd|credential|signature|(?:api|access)[-_]?key|^code$|^x-millrace-/i;
/** As words of a name; within a word they mean something else, as in `keyword` and `author`. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'key',
  'sig',
  'auth',
  'pass',
  'pwd',
  'jwt',
  'session',
  'hmac',
]);
/** An id of a delivery, and the name of an event of Bitbucket. */
const NOT_SECRET: ReadonlySet<string> = new Set(['idempotency-key', 'x-event-key']);

/**
 * Returns the payload with parts of its request as the members `_headers` and `_query`, without those whose names are
 * those of secrets, and without the header of the signature. A body that is no JSON object is the member `payload`, as the Webhook component names it. Throws
 * invalid_value for a NUL character in the query.
 */
export function withRequestParts(
  payload: string,
  { pass: parts = [], signature }: WebhookSettings,
  { headers, query }: { readonly headers: IncomingHttpHeaders; readonly query: URLSearchParams },
): string {
  const members: string[] = [];
  if (parts.includes('headers')) {
    const signed = signature?.header?.toLowerCase();
    members.push(`"_headers":${jsonOf(headerFields(headers).filter(([name]) => name !== signed))}`);
  }
  if (parts.includes('query')) {
    const fields = [...query];
    for (const text of fields.flat()) refuseUnstorable(text, 'query');
    members.push(`"_query":${jsonOf(fields)}`);
  }
  // After the members of the body, since the last of two members with one name counts.
  return `{${[...bodyMembers(payload), ...members].join(',')}}`;
}

type WebhookSettings = NonNullable<FlowSettings['webhook']>;
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
  return JSON.stringify(objectOfFields(fields.filter(([name]) => !isSecret(name))));
}

function isSecret(name: string): boolean {
  if (NOT_SECRET.has(name.toLowerCase())) return false;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return SECRET.test(name) || words.some((word) => SECRET_WORDS.has(word));
}
