import type { ServerResponse } from 'node:http';
import type { HttpError } from '@millrace/http';
import type { DeduplicatedText } from '@millrace/messages';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { EventFraming } from './event-framing';

/** Maximum number of bytes that are unsent when further ones arrive; a slower reader is disconnected. */
const MAXIMUM_BUFFERED_BYTES = 1_048_576;
/** Headers are sent with the first event or after this delay. Until then an error can still be sent as a status. */
const HEADERS_AFTER_MILLISECONDS = 500;
/** Shorter than the idle timeout of common proxies. */
const KEEP_ALIVE_MILLISECONDS = 15_000;

export interface StreamedAnswerOptions {
  readonly response: ServerResponse;
  readonly headers: Readonly<Record<string, string>>;
  readonly framing: EventFraming;
  /** The reader was too slow and has been disconnected. */
  onOverflow(): void;
  /** The interval in which `keepAlive` of the framing is sent, from when the headers are sent. */
  readonly keepAliveMilliseconds?: number;
}

/** Writes a run's events as they arrive, in the framing that the caller asked for. */
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

  /** Forwards events, one JSON object a line. A new attempt repeats events, so a `restart` event precedes it. */
  events(lines: Buffer, attempt: number): void {
    this.#announce(attempt);
    this.#write(lines);
    this.#sent = true;
  }

  /** The last event: the whole answer. */
  succeed(body: Buffer | DeduplicatedText, attempt: number): void {
    this.#announce(attempt);
    const result = jsonDumpsCompactAscii(parsePythonJson(body.toString()));
    this.#finish(`{"event": "end", "data": {"result": ${result}}}\n`);
  }

  /**
   * Returns true when the error was sent in the stream; false when nothing was sent yet, so that it can be a status.
   */
  fail({ status, detail }: HttpError): boolean {
    if (!this.#options.response.headersSent) {
      clearTimeout(this.#timer);
      return false;
    }
    const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
    this.failWith(`${status}: ${text}`);
    return true;
  }

  /** Ends the stream with an `error` event of this text, even if nothing was sent before. */
  failWith(text: string): void {
    this.#finish(`${jsonDumpsCompactAscii({ event: 'error', data: { error: text } })}\n`);
  }

  /** Stops the timers after the caller has disconnected. */
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
    // These lines do not count: a single event can be larger than the limit.
    if (response.writableLength > MAXIMUM_BUFFERED_BYTES) {
      response.destroy();
      onOverflow();
    } else response.write(framing.frame(lines));
  }

  #finish(line: string): void {
    const { response, framing } = this.#options;
    this.#open();
    clearInterval(this.#keepingAlive);
    if (!response.writableEnded && !response.destroyed) response.end(framing.frame(Buffer.from(line)));
  }

  #open(): void {
    clearTimeout(this.#timer);
    const { response, headers, framing, keepAliveMilliseconds = KEEP_ALIVE_MILLISECONDS } = this.#options;
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
    this.#keepingAlive = setInterval(() => response.write(keepAlive), keepAliveMilliseconds);
    response.once('close', () => clearInterval(this.#keepingAlive));
  }
}
