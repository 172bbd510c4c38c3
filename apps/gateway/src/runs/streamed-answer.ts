import type { ServerResponse } from 'node:http';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/flow';
import type { RequestError } from '../http/request-error';
import type { EventFraming } from './event-framing';

/** What a reader may lag behind; then it is cut off. */
const MAXIMUM_BUFFERED_BYTES = 1_048_576;
/** Headers go out at the first event, or this much later: until then a refusal can still be a proper status. */
const HEADERS_AFTER_MILLISECONDS = 500;
/** Shorter than what proxies wait for a silent server. */
const KEEP_ALIVE_MILLISECONDS = 15_000;

export interface StreamedAnswerOptions {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly framing: EventFraming;
  /** The reader is too slow; the answer was cut off. */
  onOverflow(): void;
}

/** Writes a run's events as they come, in the framing the caller understands. */
export class StreamedAnswer {
  readonly #options: StreamedAnswerOptions;
  readonly #timer: NodeJS.Timeout;
  #keepingAlive: NodeJS.Timeout | undefined;
  #attempt = 1;
  #sent = false;

  constructor(options: StreamedAnswerOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#open(), HEADERS_AFTER_MILLISECONDS);
  }

  /** Passes events on, one JSON object a line. What a new attempt repeats is announced by a `restart` event. */
  events(lines: Buffer, attempt: number): void {
    this.#announce(attempt);
    this.#write(lines);
    this.#sent = true;
  }

  /** The last event: the whole answer. */
  succeed(body: Buffer, attempt: number): void {
    this.#announce(attempt);
    const result = jsonDumpsCompactAscii(parsePythonJson(body.toString()));
    this.#finish(`{"event": "end", "data": {"result": ${result}}}\n`);
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
    this.#finish(`${jsonDumpsCompactAscii({ event: 'error', data: { error: text } })}\n`);
  }

  /** The caller left. */
  abandon(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#keepingAlive);
  }

  #announce(attempt: number): void {
    if (attempt > this.#attempt && this.#sent) {
      this.#write(Buffer.from(`{"event": "restart", "data": {"attempt": ${attempt}}}\n`));
    }
    this.#attempt = attempt;
  }

  #write(lines: Buffer): void {
    const { response, framing, onOverflow } = this.#options;
    this.#open();
    if (response.writableEnded || response.destroyed) return;
    response.write(framing.frame(lines));
    if (response.writableLength > MAXIMUM_BUFFERED_BYTES) {
      response.destroy();
      onOverflow();
    }
  }

  #finish(line: string): void {
    const { response, framing } = this.#options;
    this.#open();
    clearInterval(this.#keepingAlive);
    if (!response.writableEnded && !response.destroyed) response.end(framing.frame(Buffer.from(line)));
  }

  #open(): void {
    clearTimeout(this.#timer);
    const { response, headers, framing } = this.#options;
    if (response.headersSent || response.destroyed) return;
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    const { keepAlive } = framing;
    if (keepAlive === null) return;
    this.#keepingAlive = setInterval(() => response.write(keepAlive), KEEP_ALIVE_MILLISECONDS);
    response.once('close', () => clearInterval(this.#keepingAlive));
  }
}
