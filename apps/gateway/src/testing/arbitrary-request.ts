import fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import type { OpenApiOperation } from '../openapi/openapi-document';
import { anyText, anyUuid, valueOf } from './arbitrary-value';
import type { SentRequest } from './send-request';

export interface ArbitraryRequestOptions {
  readonly method: string;
  /** The path as in the document. */
  readonly template: string;
  readonly operation: OpenApiOperation;
  readonly key: string;
  /** Existing ids and names for paths, queries and bodies. */
  readonly known: readonly string[];
  /** Existing flows, of which parts are replaced. */
  readonly documents: readonly unknown[];
}

const BOUNDARY = 'a-boundary';
const MAXIMUM_URL_TEXT = 250;
const contentTypes = [
  'application/json',
  'application/json; charset=utf-16',
  'application/vnd.x+json',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'multipart/form-data',
  `multipart/form-data; boundary=${BOUNDARY}`,
  'multipart/form-data; boundary=another',
  'nonsense',
];
/** Allowed header text: visible ASCII, spaces and Latin-1. */
const headerText = fc
  .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 30 })
  .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f)).trim());

/** Generates requests at one route. Most are nearly valid; each part is sometimes arbitrary. */
export function arbitraryRequest(options: ArbitraryRequestOptions): Arbitrary<SentRequest> {
  const { method, template, operation } = options;
  const texts = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...options.known) },
    { weight: 1, arbitrary: anyText },
  );
  return fc
    .record({
      path: pathOf(template, texts),
      query: queryOf(operation, texts),
      headers: headersOf(options),
      body: bodyOf(options, texts),
    })
    .map(({ path, query, headers, body: { contentType, bytes } }) => ({
      method,
      path: query === '' ? path : `${path}?${query}`,
      headers: { ...(contentType === null ? {} : { 'content-type': contentType }), ...headers },
      body: bytes,
    }));
}

function pathOf(template: string, texts: Arbitrary<string>): Arbitrary<string> {
  const segment = fc.oneof(
    {
      weight: 20,
      arbitrary: fc.oneof({ weight: 4, arbitrary: texts }, { weight: 1, arbitrary: anyUuid }).map(encoded),
    },
    { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%C3', '%00', '%2F', '..', '.', '*', ':x', '%7B') },
  );
  const parts = template.split(/\{\w+\}/);
  return fc
    .array(segment, { minLength: parts.length - 1, maxLength: parts.length - 1 })
    .map((values) => parts.map((part, index) => part + (values[index] ?? '')).join(''));
}

function queryOf({ parameters = [] }: OpenApiOperation, texts: Arbitrary<string>): Arbitrary<string> {
  const names = parameters.flatMap(({ name, in: place }) => (place === 'query' ? [name] : []));
  const value = fc.oneof(
    texts,
    anyText,
    fc.constantFrom('true', 'false', '0', '1', '-1', '10', '9'.repeat(30), 'ASC'),
  );
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...names, 'stream') },
    { weight: 1, arbitrary: anyText },
  );
  return fc
    .array(fc.tuple(name, value), { maxLength: 4 })
    .map((pairs) => pairs.map(([left, right]) => `${encoded(left)}=${encoded(right)}`).join('&'));
}

function headersOf({ key, operation }: ArbitraryRequestOptions): Arbitrary<Record<string, string>> {
  const own = (operation.parameters ?? []).flatMap(({ name, in: place }) =>
    place === 'header' ? [name] : [],
  );
  const known = {
    authorization: fc.constantFrom('Bearer x', 'Basic eDp5', ''),
    accept: fc.constantFrom('text/event-stream', 'application/json', '*/*', 'nonsense'),
    prefer: fc.constantFrom('respond-async', 'respond-async, wait=5', 'x'),
    'idempotency-key': fc.oneof(fc.constantFrom('one', 'two'), headerText),
    'content-encoding': fc.constantFrom('gzip', 'identity', 'br'),
    'last-event-id': fc.oneof(fc.constantFrom('0', '1', '-1', '99999999999999999999'), headerText),
    origin: fc.constant('https://elsewhere.example'),
    'x-request-id': headerText,
    'x-langflow-global-var-a': headerText,
    'x-forwarded-for': headerText,
    range: fc.constantFrom('bytes=0-1', 'bytes=9-', 'x'),
    'if-none-match': fc.constant('*'),
    ...Object.fromEntries(own.filter((name) => name !== 'x-api-key').map((name) => [name, headerText])),
  };
  const keyed = fc.oneof(
    { weight: 14, arbitrary: fc.constant({ 'x-api-key': key }) },
    { weight: 1, arbitrary: headerText.map((text) => ({ 'x-api-key': text })) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  const someHeaders = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.record(known, { requiredKeys: [] }).map(reduced) },
  );
  return fc
    .tuple(keyed, someHeaders)
    .map(([first, second]) => ({ ...second, ...first }) as Record<string, string>);
}

/** Keeps about a third of the headers, since with all of them every request would be refused for the same few. */
function reduced(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => (name.length + value.length) % 3 === 0),
  );
}

interface Body {
  readonly contentType: string | null;
  readonly bytes: Buffer | null;
}

function bodyOf(
  { operation, documents }: ArbitraryRequestOptions,
  texts: Arbitrary<string>,
): Arbitrary<Body> {
  const content = operation.requestBody?.content ?? {};
  const contentType = fc.option(fc.constantFrom(...contentTypes), { freq: 8 });
  const fields = fc.array(
    fc.tuple(
      fc.oneof(fc.constantFrom('file', 'tweaks', 'input_value'), anyText),
      fc.oneof(changed(documents), anyText),
    ),
    { maxLength: 3 },
  );
  const stray = fc.record({
    contentType,
    bytes: fc.oneof(
      fc.constant(null),
      fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text.slice(0, -1))),
      fc.constant(Buffer.from('['.repeat(10_000))),
      fields.map(form),
    ),
  });
  const json = content['application/json']?.schema as Readonly<Record<string, unknown>> | undefined;
  if (!json && !('multipart/form-data' in content)) {
    return fc.oneof({ weight: 3, arbitrary: fc.constant({ contentType: null, bytes: null }) }, stray);
  }
  const whole = fc
    .tuple(valueOf(json ?? {}, texts), changed(documents), fc.nat(3))
    .map(([value, document, which]) => ({
      contentType: 'application/json',
      bytes: Buffer.from(JSON.stringify(which === 0 ? withDocument(value, document) : value)),
    }));
  const multipart = fields.map((parts) => ({
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    bytes: form(parts),
  }));
  return fc.oneof(
    { weight: 8, arbitrary: whole },
    { weight: 'multipart/form-data' in content ? 4 : 1, arbitrary: multipart },
    { weight: 1, arbitrary: stray },
  );
}

/** Generates a flow in which one value is replaced. */
function changed(documents: readonly unknown[]): Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...documents), fc.nat(), fc.jsonValue({ maxDepth: 2 }))
    .map(([document, nth, value]) => {
      const count = { left: 0 };
      JSON.stringify(document, (_name, part: unknown) => ((count.left += 1), part));
      let left = nth % count.left;
      return JSON.stringify(document, (_name, part: unknown) => (left-- === 0 ? value : part)) ?? 'null';
    });
}

function withDocument(value: unknown, document: string): unknown {
  const flow: unknown = JSON.parse(document);
  const data = typeof flow === 'object' && flow !== null && 'data' in flow ? flow.data : flow;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, data } : flow;
}

function form(fields: readonly (readonly [string, string])[]): Buffer {
  const parts = fields.map(
    ([name, value]) =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${name === 'file' ? '; filename="a.json"' : ''}\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
}

/** Cut, because the server refuses a long URL before any route sees it. */
function encoded(text: string): string {
  return encodeURIComponent(text.slice(0, MAXIMUM_URL_TEXT).toWellFormed());
}
