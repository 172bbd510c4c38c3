import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';

const JSON_TYPE = 'application/json';
const JSON_LINES_TYPE = 'application/x-ndjson';

/** Answers with a value as compact JSON, without escaping non-ASCII characters. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendJsonText(response, status, JSON.stringify(value));
}

/** Answers 204 with the content type of JSON, as Langflow does where a route has nothing to say. */
export function sendNothing(response: ServerResponse): void {
  response.writeHead(204, { 'content-type': JSON_TYPE }).end();
}

/** Answers with one JSON list of all parts, with backpressure: only one part is in memory at a time. */
export async function sendJsonList(
  response: ServerResponse,
  status: number,
  parts: AsyncIterable<readonly unknown[]>,
): Promise<void> {
  response.writeHead(status, { 'content-type': JSON_TYPE });
  await sendParts(response, listOf(parts));
}

/** As `sendJsonList`, with the list as the last member of an object. */
export async function sendJsonWithList(
  response: ServerResponse,
  members: object,
  [name, parts]: readonly [string, AsyncIterable<readonly unknown[]>],
): Promise<void> {
  response.writeHead(200, { 'content-type': JSON_TYPE });
  await sendParts(response, objectOf(members, name, parts));
}

/** Answers with one JSON value a line, with backpressure: only one part is in memory at a time. */
export async function sendJsonLines(
  response: ServerResponse,
  parts: AsyncIterable<readonly unknown[]>,
): Promise<void> {
  response.writeHead(200, { 'content-type': JSON_LINES_TYPE });
  await sendParts(response, linesOf(parts));
}

async function sendParts(response: ServerResponse, texts: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(texts), response);
  } catch (error) {
    // A caller who disconnected needs no answer. Any other error aborts the answer.
    if (!response.destroyed || response.errored) throw error;
  }
}

async function* objectOf(
  members: object,
  name: string,
  parts: AsyncIterable<readonly unknown[]>,
): AsyncGenerator<string> {
  yield `${JSON.stringify(members).slice(0, -1)},${JSON.stringify(name)}:`;
  yield* listOf(parts);
  yield '}';
}

async function* linesOf(parts: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  for await (const values of parts) {
    const text = values.map((value) => `${JSON.stringify(value)}\n`).join('');
    if (text !== '') yield text;
  }
}

async function* listOf(parts: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const values of parts) {
    for (const value of values) {
      yield before + JSON.stringify(value);
      before = ',';
    }
  }
  yield before === '[' ? '[]' : ']';
}

/** Answers with JSON that is already serialized. */
export function sendJsonText(response: ServerResponse, status: number, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

/** A document that many callers read, with its compressed form. */
export interface PackedJson {
  readonly plain: string;
  readonly gzipped: Buffer;
}

/** Compresses a document once. */
export function packJson(plain: string): PackedJson {
  return { plain, gzipped: gzipSync(plain) };
}

/** Answers with a document, compressed for callers that accept gzip. */
export function sendPackedJson(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { plain, gzipped }: PackedJson,
): void {
  const takesGzip = acceptsGzip(headers['accept-encoding']);
  response.appendHeader('vary', 'Accept-Encoding');
  if (takesGzip) response.setHeader('content-encoding', 'gzip');
  sendJsonText(response, 200, takesGzip ? gzipped : plain);
}

/** Returns whether `Accept-Encoding` allows gzip. */
export function acceptsGzip(accepted: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|\s|$))/.test(String(accepted ?? ''));
}
