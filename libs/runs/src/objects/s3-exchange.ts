import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { backoff, machineTime } from '@millrace/service';
import type { ObjectAddress } from '@millrace/service';
import { ObjectStoreUnavailableError } from './object-store';
import { encoded, signS3Request } from './sign-s3-request';
import type { S3Request } from './sign-s3-request';

const ATTEMPTS = 3;
const PAUSES = { initialMilliseconds: 200, maximumMilliseconds: 2_000 };
const CONNECT_MILLISECONDS = 5_000;
/** A part of some megabytes over a slow connection. */
const REQUEST_MILLISECONDS = 30_000;
/** Answers are parts of objects, and lists of 1,000 keys. */
const MAXIMUM_ANSWER_BYTES = 8_388_608;
/** Another attempt can succeed. */
const TEMPORARY = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

export interface S3Call {
  readonly method: S3Request['method'];
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Statuses besides 2xx that the caller handles. */
  readonly accepts?: readonly number[];
}

export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export type OnAnswer = (outcome: 'ok' | 'failed') => void;

/** Sends signed requests to a bucket: each with a deadline, up to three times, with pauses that vary. */
export class S3Exchange {
  readonly #address: ObjectAddress;
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_MILLISECONDS },
    allowH2: false,
    maxResponseSize: MAXIMUM_ANSWER_BYTES,
  });

  readonly #onAnswer: OnAnswer;

  /** `onAnswer` is called after each request. */
  constructor(address: ObjectAddress, onAnswer: OnAnswer = () => undefined) {
    this.#address = address;
    this.#onAnswer = onAnswer;
  }

  /** Rejects with ObjectStoreUnavailableError. */
  async send(call: S3Call): Promise<S3Answer> {
    const end = performance.now() + REQUEST_MILLISECONDS;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#outcome(call);
      const isEnded = !(outcome instanceof ObjectStoreUnavailableError);
      this.#onAnswer(isEnded ? 'ok' : 'failed');
      if (isEnded) return outcome;
      // A request that took its whole time is not repeated.
      if (outcome.isFinal || attempt >= ATTEMPTS || performance.now() > end) throw outcome;
      await pause(backoff({ ...PAUSES, attempt: attempt - 1 }));
    }
  }

  async close(): Promise<void> {
    if (!this.#agent.destroyed) await this.#agent.destroy();
  }

  async #sendOnce({ method, key, query = {}, headers = {}, body }: S3Call): Promise<S3Answer> {
    const url = new URL(key.split('/').map(encoded).join('/'), this.#address.bucket);
    url.search = Object.entries(query)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .join('&');
    const request = { method, url, headers, body: body ?? null };
    const signed = signS3Request(request, this.#address, new Date(machineTime()));
    const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
    const answer = await this.#agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: signed,
      body: body ?? null,
      signal,
    });
    const content = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, headers: answer.headers, body: content };
  }

  async #outcome(call: S3Call): Promise<S3Answer | ObjectStoreUnavailableError> {
    const where = `The object store at ${this.#address.bucket.host}`;
    try {
      const answer = await this.#sendOnce(call);
      const { status, body } = answer;
      if ((status >= 200 && status < 300) || call.accepts?.includes(status)) return answer;
      const code = /<Code>([\w.]{1,100})<\/Code>/.exec(body.toString())?.[1] ?? '';
      const text = `${where} answered a ${call.method} with ${status} ${code}`;
      return new ObjectStoreUnavailableError(text.trim(), { isFinal: !TEMPORARY.has(status) });
    } catch (cause) {
      return new ObjectStoreUnavailableError(`${where} did not answer a ${call.method}`, { cause });
    }
  }
}
