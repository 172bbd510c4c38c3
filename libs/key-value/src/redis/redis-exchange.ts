import type { Logger } from '@millrace/service';
import { KeyValueUnavailableError } from '../key-value-store';
import { CircuitBreaker } from './circuit-breaker';
import type { RedisCommand } from './redis-commands';
import type { Reply, SendCommands } from './send-commands';

export interface RedisExchangeOptions {
  /** Has the deadline of an exchange. */
  readonly send: SendCommands;
  readonly logger: Logger;
  /** Maximum number of unanswered commands; further ones fail at once. */
  readonly maximumInFlight: number;
}

interface Request {
  readonly commands: readonly RedisCommand[];
  resolve(replies: unknown[]): void;
  reject(error: Error): void;
}

/**
 * Sends commands and returns their replies within a deadline. Commands of one turn of the event loop share one exchange
 * and its deadline; a circuit breaker spares callers the wait for a server that hangs.
 */
export class RedisExchange {
  readonly #options: RedisExchangeOptions;
  readonly #breaker = new CircuitBreaker({ maximumFailures: 3, pauseMilliseconds: 1_000 });
  readonly #exchanges = new Set<Promise<void>>();
  #collected: Request[] = [];
  #inFlight = 0;
  #closed = false;

  constructor(options: RedisExchangeOptions) {
    this.#options = options;
  }

  /** Resolves to the replies, in order; rejects with the first error among them. */
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

  /** Waits for commands in flight and refuses new ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flush();
    await Promise.allSettled(this.#exchanges);
  }

  #refusal(commandCount: number): string | undefined {
    if (this.#closed) return 'The key-value store is closed';
    if (this.#inFlight + commandCount > this.#options.maximumInFlight) {
      return `${this.#inFlight} commands are already waiting for Redis`;
    }
    // Requests of one exchange share the breaker's decision.
    if (this.#collected.length === 0 && !this.#breaker.admits(performance.now())) {
      return 'Redis did not answer recently; calls are paused for a moment';
    }
    return undefined;
  }

  async #flush(): Promise<void> {
    const requests = this.#collected;
    if (requests.length === 0) return;
    this.#collected = [];
    const exchanged = this.#exchange(requests);
    this.#exchanges.add(exchanged);
    await exchanged;
    this.#exchanges.delete(exchanged);
  }

  async #exchange(requests: readonly Request[]): Promise<void> {
    try {
      const replies = await this.#options.send(requests.flatMap(({ commands }) => commands));
      if (this.#breaker.succeeded()) this.#options.logger.info({}, 'Redis answers again');
      let position = 0;
      for (const request of requests) {
        settle(request, replies.slice(position, position + request.commands.length));
        position += request.commands.length;
      }
    } catch (error) {
      if (this.#breaker.failed(performance.now())) {
        this.#options.logger.warn({ error }, 'Redis does not answer; continuing without it');
      }
      for (const { reject } of requests) reject(unavailable(error));
    }
  }
}

function settle({ resolve, reject }: Request, replies: readonly Reply[]): void {
  const failed = replies.find(([error]) => error)?.[0];
  if (!failed) resolve(replies.map(([, value]) => value));
  else if (failed.message.startsWith('WRONGTYPE')) reject(new TypeError(failed.message));
  else reject(unavailable(failed));
}

function unavailable(error: unknown): KeyValueUnavailableError {
  if (error instanceof KeyValueUnavailableError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new KeyValueUnavailableError(`Redis is not available: ${reason}`, { cause: error });
}
