import type { IncomingMessage } from 'node:http';
import { refuseUnstorable, HttpError } from '@millrace/http';
import { parseForm } from './parse-form';
import { parseJson } from './parse-json';
import { extra } from '../validation/validation-items';
import { invalidRequest } from '../validation/validator';

/**
 * The body of a run request. A body with a JSON content type is parsed at once, since its syntax is checked before the
 * key. The bytes of other bodies are parsed only when all other checks have passed.
 */
export type RunBody =
  { readonly value: unknown } | { readonly bytes: Buffer; readonly maximumMembers: number };

const NO_BODY: RunBody = { value: undefined };

/** Parses a run body by its content type. Of forms the fields are read. */
export function parseRunBody(
  request: IncomingMessage,
  bytes: Buffer,
  maximumMembers: number,
): RunBody | Promise<RunBody> {
  if (bytes.length === 0) return NO_BODY;
  refuseEncodedBody(request);
  switch (bodyKind(request)) {
    case 'json':
      return { value: parseJson(bytes, maximumMembers) };
    case 'form':
      return runBodyOfForm(request, bytes, maximumMembers);
    case 'urlencoded':
      // The default content type of curl, which most callers send with JSON.
      if (!isForm(bytes)) return { bytes, maximumMembers };
      return { value: valueOfFields(new URLSearchParams(bytes.toString()), maximumMembers) };
    case 'other':
      return { bytes, maximumMembers };
  }
}

/** Returns the value of a run body; undefined when there is none. Throws when the bytes are not JSON. */
export function runBodyValue(body: RunBody): unknown {
  return 'value' in body ? body.value : parseJson(body.bytes, body.maximumMembers);
}

async function runBodyOfForm(
  request: IncomingMessage,
  bytes: Buffer,
  maximumMembers: number,
): Promise<RunBody> {
  const { fields, files } = await parseForm(request, bytes);
  return {
    value: valueOfFields(
      [...fields, ...files.map(({ name, filename }) => [name, filename] as const)],
      maximumMembers,
    ),
  };
}

/** The members of a run body that a form can have; `tweaks` is JSON text there. */
export const simpleRunFields = [
  'input_value',
  'input_type',
  'output_type',
  'output_component',
  'session_id',
  'user_id',
] as const;

const formFields: ReadonlySet<string> = new Set([...simpleRunFields, 'tweaks']);

/** Returns the value of a form. Refuses unknown fields: `hello` that is sent as a form has a field of that name. */
function valueOfFields(fields: Iterable<readonly [string, string]>, maximumMembers: number): unknown {
  const texts = new Map(fields);
  const unknown = [...texts.keys()].filter((name) => !formFields.has(name));
  if (unknown.length > 0) {
    throw invalidRequest(unknown.map((name) => extra(['body', name], texts.get(name) ?? '')));
  }
  for (const text of texts.values()) refuseUnstorable(text);
  const { tweaks, ...value } = Object.fromEntries(texts);
  return tweaks ? { ...value, tweaks: parseJson(Buffer.from(tweaks), maximumMembers) } : value;
}

/** Returns whether a body begins like a form and not like JSON, which begins with a bracket, a quote or a byte order mark. */
function isForm(bytes: Buffer): boolean {
  return /^\s*[\w%+.~*-]*(=|&|$)/.test(bytes.toString('latin1', 0, 256));
}

export type BodyKind = 'json' | 'form' | 'urlencoded' | 'other';

/** Returns the kind of body by the Content-Type header. `application/vnd.x+json` is also JSON. */
export function bodyKind(request: IncomingMessage): BodyKind {
  const header = request.headers['content-type'];
  if (header === 'application/json') return 'json';
  if (header === undefined) return 'other';
  const end = header.indexOf(';');
  const mediaType = (end < 0 ? header : header.slice(0, end)).trim().toLowerCase();
  if (mediaType === 'application/json') return 'json';
  if (mediaType.startsWith('application/') && mediaType.endsWith('+json')) return 'json';
  if (mediaType === 'multipart/form-data') return 'form';
  if (mediaType === 'application/x-www-form-urlencoded') return 'urlencoded';
  return 'other';
}

/** Refuses compressed bodies, since an attacker could use them to cause expensive work at little cost. */
export function refuseEncodedBody(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return;
  throw new HttpError('undecodable_body', 'There was an error parsing the body');
}
