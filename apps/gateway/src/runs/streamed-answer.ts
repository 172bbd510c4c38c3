import type { ServerResponse } from 'node:http';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/flow';
import type { RequestError } from '../http/request-error';

const NEWLINE = 0x0a;
const BLANK_LINE = Buffer.from('\n');
/** What a reader may lag behind; then it is cut off. */
const MAXIMUM_BUFFERED_BYTES = 1_048_576;
/** Headers go out at the first event, or this much later: until then a refusal can still be a proper status. */
const HEADERS_AFTER_MILLISECONDS = 500;

export interface StreamedAnswerOptions {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  /** The reader is too slow; the answer was cut off. */
  onOverflow(): void;
}

/** Writes a run's events as Langflow's clients parse them: a JSON object and a blank line each. */
export class StreamedAnswer {
  readonly #options: StreamedAnswerOptions;
  readonly #timer: NodeJS.Timeout;
  #attempt = 1;
  #sent = false;

  constructor(options: StreamedAnswerOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#open(), HEADERS_AFTER_MILLISECONDS);
  }

  /** Passes events on, one JSON object a line. What a new attempt repeats is announced by a `restart` event. */
  events(lines: Buffer, attempt: number): void {
    this.#announce(attempt);
    this.#write(withBlankLines(lines));
    this.#sent = true;
  }

  /** The last event: the whole answer. */
  succeed(body: Buffer, attempt: number): void {
    this.#announce(attempt);
    const result = jsonDumpsCompactAscii(parsePythonJson(body.toString()));
    this.#finish(`{"event": "end", "data": {"result": ${result}}}\n\n`);
  }

  /** True when the failure was told in the stream; false when nothing went out yet, so that it can be a status. */
  fail({ status, detail }: RequestError): boolean {
    if (!this.#options.response.headersSent) {
      clearTimeout(this.#timer);
      return false;
    }
    const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
    this.failWith(`${status}: ${text}`);
    return true;
  }

  /** Ends the stream with an `error` event of this text, whether anything went out before or not. */
  failWith(text: string): void {
    this.#finish(`${jsonDumpsCompactAscii({ event: 'error', data: { error: text } })}\n\n`);
  }

  /** The caller left. */
  abandon(): void {
    clearTimeout(this.#timer);
  }

  #announce(attempt: number): void {
    if (attempt > this.#attempt && this.#sent) {
      this.#write(Buffer.from(`{"event": "restart", "data": {"attempt": ${attempt}}}\n\n`));
    }
    this.#attempt = attempt;
  }

  #write(bytes: Buffer): void {
    const { response, onOverflow } = this.#options;
    this.#open();
    if (response.writableEnded || response.destroyed) return;
    response.write(bytes);
    if (response.writableLength > MAXIMUM_BUFFERED_BYTES) {
      response.destroy();
      onOverflow();
    }
  }

  #finish(text: string): void {
    const { response } = this.#options;
    this.#open();
    if (!response.writableEnded && !response.destroyed) response.end(text);
  }

  #open(): void {
    clearTimeout(this.#timer);
    const { response, headers } = this.#options;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
  }
}

/** Lines to events: each line end becomes a blank line. */
function withBlankLines(lines: Buffer): Buffer {
  const first = lines.indexOf(NEWLINE);
  if (first === lines.length - 1) return Buffer.concat([lines, BLANK_LINE]);
  const parts: Buffer[] = [];
  for (let start = 0; start < lines.length;) {
    const found = lines.indexOf(NEWLINE, start);
    const end = found < 0 ? lines.length : found;
    if (end > start) parts.push(lines.subarray(start, end), BLANK_LINE, BLANK_LINE);
    start = end + 1;
  }
  return Buffer.concat(parts);
}
