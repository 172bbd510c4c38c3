import type { Logger } from '@millrace/service';
import type { Redis } from 'ioredis';
import { KeyValueUnavailableError } from '../key-value-store';
import { CircuitBreaker } from './circuit-breaker';
import type { RedisCommand } from './redis-commands';

export interface RedisExchangeOptions {
  readonly redis: Redis;
  readonly logger: Logger;
  readonly timeoutMilliseconds: number;
  /** Commands without an answer yet; further ones fail at once. */
  readonly maximumInFlight: number;
}

interface Request {
  readonly commands: readonly RedisCommand[];
  resolve(replies: unknown[]): void;
  reject(error: Error): void;
}

type Reply = [error: Error | null, value: unknown];

/**
 * Commands out, replies back, in time or not at all. What is asked in the same turn of the event loop travels in one
 * pipeline under one deadline; a breaker spares callers the wait for a server that hangs.
 */
export class RedisExchange {
  readonly #options: RedisExchangeOptions;
  readonly #breaker = new CircuitBreaker({ maximumFailures: 3, pauseMilliseconds: 1_000 });
  readonly #onTheirWay = new Set<Promise<void>>();
  #collected: Request[] = [];
  #inFlight = 0;
  #closed = false;

  constructor(options: RedisExchangeOptions) {
    this.#options = options;
  }

  /** The replies, in order; rejects with the first error among them. */
  send(commands: readonly RedisCommand[]): Promise<unknown[]> {
    if (commands.length === 0) return Promise.resolve([]);
    const refusal = this.#refusal(commands.length);
    if (refusal !== undefined) return Promise.reject(new KeyValueUnavailableError(refusal));
    this.#inFlight += commands.length;
    return new Promise<unknown[]>((resolve, reject) => {
      this.#collected.push({ commands, resolve, reject });
      if (this.#collected.length === 1) setImmediate(() => void this.#flush());
    }).finally(() => {
      this.#inFlight -= commands.length;
    });
  }

  /** Lets what is on its way come back, refuses the rest. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flush();
    await Promise.allSettled(this.#onTheirWay);
  }

  #refusal(commandCount: number): string | undefined {
    if (this.#closed) return 'The key-value store is closed';
    if (this.#inFlight + commandCount > this.#options.maximumInFlight) {
      return `${this.#inFlight} commands already wait for Redis`;
    }
    // Requests of one pipeline share one decision.
    if (this.#collected.length === 0 && !this.#breaker.admits(performance.now())) {
      return 'Redis did not answer lately and is left alone for a moment';
    }
    return undefined;
  }

  async #flush(): Promise<void> {
    const requests = this.#collected;
    if (requests.length === 0) return;
    this.#collected = [];
    const exchanged = this.#exchange(requests);
    this.#onTheirWay.add(exchanged);
    await exchanged;
    this.#onTheirWay.delete(exchanged);
  }

  async #exchange(requests: readonly Request[]): Promise<void> {
    try {
      const replies = await this.#pipeline(requests.flatMap(({ commands }) => commands));
      if (this.#breaker.succeeded()) this.#options.logger.info({}, 'Redis answers again');
      let position = 0;
      for (const request of requests) {
        settle(request, replies.slice(position, position + request.commands.length));
        position += request.commands.length;
      }
    } catch (error) {
      if (this.#breaker.failed(performance.now())) {
        this.#options.logger.warn({ error }, 'Redis does not answer; going on without it');
      }
      for (const { reject } of requests) reject(unavailable(error));
    }
  }

  /** Rejects when the server did not answer at all; errors it answered with are among the replies. */
  #pipeline(commands: readonly RedisCommand[]): Promise<Reply[]> {
    const { redis, timeoutMilliseconds } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // After this turn's input was read: when this process itself was held up, the answer may lie there already.
        setImmediate(() => {
          reject(new KeyValueUnavailableError(`Redis did not answer within ${timeoutMilliseconds} ms`));
        });
      }, timeoutMilliseconds);
      redis
        .pipeline(commands.map((command) => [...command]))
        .exec()
        .then((replies) => {
          const lost = replies?.find(([error]) => error && !isAnswer(error))?.[0];
          if (lost || !replies) reject(lost ?? new Error('no replies'));
          else resolve(replies);
        }, reject)
        .finally(() => {
          clearTimeout(timer);
        });
    });
  }
}

function settle({ resolve, reject }: Request, replies: readonly Reply[]): void {
  const failed = replies.find(([error]) => error)?.[0];
  if (!failed) resolve(replies.map(([, value]) => value));
  else if (failed.message.startsWith('WRONGTYPE')) reject(new TypeError(failed.message));
  else reject(unavailable(failed));
}

/** An error that Redis itself answered with. */
function isAnswer(error: Error): boolean {
  return error.name === 'ReplyError';
}

function unavailable(error: unknown): KeyValueUnavailableError {
  if (error instanceof KeyValueUnavailableError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new KeyValueUnavailableError(`Redis is not available: ${reason}`, { cause: error });
}
