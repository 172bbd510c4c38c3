import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const JSON_TYPE = 'application/json';

/** Answers with a value as compact JSON, without escaping non-ASCII characters. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendJsonText(response, status, JSON.stringify(value));
}

/** Answers with one JSON list of all parts, with backpressure: only one part is in memory at a time. */
export async function sendJsonList(
  response: ServerResponse,
  status: number,
  parts: AsyncIterable<readonly unknown[]>,
): Promise<void> {
  response.writeHead(status, { 'content-type': JSON_TYPE });
  try {
    await pipeline(Readable.from(listOf(parts)), response);
  } catch (error) {
    // A caller who disconnected needs no answer. Any other error aborts the answer.
    if (!response.destroyed || response.errored) throw error;
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
