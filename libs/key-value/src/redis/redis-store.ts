import { checkAppendOptions } from '../append-options';
import { KeyValueUnavailableError } from '../key-value-store';
import type { KeyValueCommand } from '../key-value-store';
import type { BatchStore } from '../single-calls';
import { translateCommand } from './redis-commands';
import type { RedisCommand } from './redis-commands';
import type { RedisExchange } from './redis-exchange';
import { RenewedExpiries } from './renewed-expiries';

const keysTimeoutMilliseconds = 2_000;

export interface RedisStoreOptions {
  readonly exchange: RedisExchange;
  /** Returns an exchange with each server that has keys. */
  readonly servers: () => readonly RedisExchange[];
  readonly disconnect: () => void;
  /** Prefix of every key, so that several systems can share a server. */
  readonly prefix: string;
}

/** Implements the port's commands on a Redis server or cluster; each command has one key. */
export class RedisStore implements BatchStore {
  readonly #options: RedisStoreOptions;
  readonly #exchange: RedisExchange;
  readonly #prefix: string;
  readonly #renewed = new RenewedExpiries();
  #closed: Promise<void> | undefined;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#exchange = options.exchange;
    this.#prefix = options.prefix;
  }

  async batch(commands: readonly KeyValueCommand[]): Promise<unknown[]> {
    for (const command of commands) if (command.command === 'append') checkAppendOptions(command.options);
    const translated = commands.map((command) =>
      translateCommand(command, this.#prefix, commands.length === 1 ? this.#renewed : null),
    );
    const replies = await this.#exchange.send(translated.flatMap(({ commands: ready }) => ready));
    let position = 0;
    const next: RedisCommand[] = [];
    const results = translated.map((one) => {
      const own = replies.slice(position, position + one.commands.length);
      position += one.commands.length;
      if (one.next) next.push(...one.next(own));
      return one.read(own);
    });
    if (next.length > 0) await this.#exchange.send(next);
    return results;
  }

  /** Scans the server's keys in steps; on a large server this takes longer than other calls. */
  async keys(prefix: string, limit: number): Promise<string[]> {
    const pattern = `${escapePattern(this.#prefix + prefix)}*`;
    const deadline = performance.now() + keysTimeoutMilliseconds;
    const found = new Set<string>();
    for (const server of this.#options.servers()) await this.#scan(server, pattern, found, limit, deadline);
    return [...found].slice(0, limit);
  }

  async #scan(
    server: RedisExchange,
    pattern: string,
    found: Set<string>,
    limit: number,
    deadline: number,
  ): Promise<void> {
    let cursor = '0';
    while (found.size < limit) {
      const [reply] = await server.send([['scan', cursor, 'MATCH', pattern, 'COUNT', 1_000]]);
      const [next, keys] = reply as [string, string[]];
      for (const key of keys) found.add(key.slice(this.#prefix.length));
      if (next === '0') return;
      cursor = next;
      if (performance.now() > deadline) {
        throw new KeyValueUnavailableError(
          `Redis has too many keys to scan in ${keysTimeoutMilliseconds} ms`,
        );
      }
    }
  }

  async ping(): Promise<void> {
    // A key leads to a server that accepts writes, also of a cluster.
    await this.#exchange.send([['exists', `${this.#prefix}ping`]]);
  }

  close(): Promise<void> {
    this.#closed ??= this.#exchange.close().then(() => {
      this.#options.disconnect();
    });
    return this.#closed;
  }
}

/** Escapes the special characters of Redis's patterns. */
function escapePattern(text: string): string {
  return text.replaceAll(/[\\*?[\]^]/g, String.raw`\$&`);
}
