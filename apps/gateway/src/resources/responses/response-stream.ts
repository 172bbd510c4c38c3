import type { ServerResponse } from 'node:http';
import type { RunResponse } from '@millrace/flow';
import { currentUnixSeconds, responseFailure, usageOf } from './response-object';
import type { ResponseRequest } from './response-request';

/** Maximum number of unsent bytes; a slower reader is disconnected. */
const MAXIMUM_BUFFERED_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/**
 * Writes a run's tokens as the chunks of a response, in server-sent events. Langflow sends the first token twice; here
 * each is sent once. A run without token events has no text in its chunks, as in Langflow.
 */
export class ResponseStream {
  readonly #response: ServerResponse;
  readonly #request: ResponseRequest;
  readonly #created = currentUnixSeconds();
  readonly #onOverflow: () => void;
  #attempt = 1;

  constructor(response: ServerResponse, request: ResponseRequest, onOverflow: () => void) {
    this.#response = response;
    this.#request = request;
    this.#onOverflow = onOverflow;
  }

  open(headers: Readonly<Record<string, string>>): void {
    if (this.#response.destroyed) return;
    this.#response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      // Langflow sets this on the route for every caller.
      'access-control-allow-origin': '*',
    });
    this.#chunk({ content: '' });
  }

  /** Writes events, one JSON object a line. Text cannot be withdrawn, so that of a new attempt follows a line break. */
  events(lines: Buffer, attempt: number): void {
    if (attempt > this.#attempt) this.#chunk({ content: '\n' });
    this.#attempt = Math.max(attempt, this.#attempt);
    for (const line of linesOf(lines)) {
      if (!line.startsWith('{"event": "token"')) continue;
      const { data } = JSON.parse(line) as { readonly data: { readonly chunk: string } };
      this.#chunk({ content: data.chunk });
    }
  }

  succeed(run: RunResponse): void {
    const { id, model } = this.#request;
    this.#chunk({}, 'completed', 'stop');
    const response = {
      id,
      object: 'response',
      created_at: this.#created,
      status: 'completed',
      model,
      usage: usageOf(run),
    };
    this.#write('response.completed', { type: 'response.completed', response });
    this.#finish();
  }

  fail(message: string, code: string): void {
    this.#write(null, responseFailure(message, 'processing_error', code));
    this.#finish();
  }

  #chunk(delta: object, status: string | null = null, reason: string | null = null): void {
    const { id, model } = this.#request;
    this.#write(null, {
      id,
      object: 'response.chunk',
      created: this.#created,
      model,
      delta,
      status,
      finish_reason: reason,
    });
  }

  #finish(): void {
    if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.end('data: [DONE]\n\n');
  }

  #write(event: string | null, data: object): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(`${event === null ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
    if (this.#response.writableLength <= MAXIMUM_BUFFERED_BYTES) return;
    this.#response.destroy();
    this.#onOverflow();
  }
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    if (end > start) yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}
