import type { IncomingMessage } from 'node:http';
import { simpleRunFields } from '@millrace/contracts';
import { bodyKind, refuseEncodedBody } from './content-type';
import { parseForm } from './parse-form';
import { parseJson } from './parse-json';

/**
 * The body of a run request. A body with a JSON content type is parsed at once, since its syntax is checked before the
 * key. The bytes of other bodies are parsed only when all other checks have passed.
 */
export type RunBody =
  { readonly value: unknown } | { readonly bytes: Buffer; readonly maximumMembers: number };

const NO_BODY: RunBody = { value: undefined };

/** Parses a run body by its content type. Of forms the fields are read, and files are ignored. */
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
      // Langflow runs with the defaults, so that the default content type of curl is not read as input.
      return NO_BODY;
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
  const { fields } = await parseForm(request, bytes);
  const value: Record<string, unknown> = {};
  for (const name of simpleRunFields) {
    const text = fields.get(name);
    if (text !== undefined) value[name] = text;
  }
  const tweaks = fields.get('tweaks');
  if (tweaks) value['tweaks'] = parseJson(Buffer.from(tweaks), maximumMembers);
  return { value };
}
