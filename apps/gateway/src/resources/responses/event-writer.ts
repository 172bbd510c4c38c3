import type { ServerResponse } from 'node:http';

/** Maximum number of unsent bytes; a slower reader is disconnected. */
const MAXIMUM_BUFFERED_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/** Writes the server-sent events of OpenAI's interface. Writes nothing to a caller who has disconnected. */
export class EventWriter {
  readonly #response: ServerResponse;
  readonly #onOverflow: () => void;

  constructor(response: ServerResponse, onOverflow: () => void) {
    this.#response = response;
    this.#onOverflow = onOverflow;
  }

  open(headers: Readonly<Record<string, string>>): void {
    if (this.#response.destroyed) return;
    this.#response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
  }

  write(event: string | null, data: object): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    this.#response.write(`${event === null ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
    if (this.#response.writableLength <= MAXIMUM_BUFFERED_BYTES) return;
    this.#response.destroy();
    this.#onOverflow();
  }

  finish(): void {
    if (!this.#response.destroyed && !this.#response.writableEnded) this.#response.end('data: [DONE]\n\n');
  }
}

/** Yields the texts of the token events among a run's events, which are one JSON object a line. */
export function* tokensIn(lines: Buffer): Generator<string> {
  for (const line of linesOf(lines))
    if (line.startsWith('{"event": "token"'))
      yield (JSON.parse(line) as { readonly data: { readonly chunk: string } }).data.chunk;
}

/** An event of a run. */
export interface RunEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const READ_EVENT = /^\{"event": "(?:token|add_message|error)"/;

/** Yields the tokens, messages and errors among a run's events. */
export function* eventsIn(lines: Buffer): Generator<RunEvent> {
  for (const line of linesOf(lines)) if (READ_EVENT.test(line)) yield JSON.parse(line) as RunEvent;
}

function* linesOf(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(NEWLINE, start);
    const end = found < 0 ? bytes.length : found;
    if (end > start) yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}
