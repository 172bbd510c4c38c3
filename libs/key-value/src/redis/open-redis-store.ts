import { once } from 'node:events';
import { backoff } from '@millrace/service';
import type { Logger, TlsMaterial } from '@millrace/service';
import { Cluster } from 'ioredis';
import type { KeyValueStore } from '../key-value-store';
import { withSingleCalls } from '../single-calls';
import { makeRedisClient, primaryNodes } from './redis-client';
import type { RedisClient } from './redis-client';
import { RedisExchange } from './redis-exchange';
import { RedisStore } from './redis-store';
import { sendCommands } from './send-commands';

const maximumFirstWaitMilliseconds = 2_000;
const maximumSilenceMilliseconds = 2_000;
const maximumUnloggedFailures = 30;

export interface RedisOptions {
  /** In a form of `redisAddress`: a server, Sentinels or a cluster. */
  readonly url: string;
  readonly tls?: TlsMaterial | undefined;
  /** Called with the reason when the first connection fails; further tries follow. */
  readonly onUnavailable?: ((reason: Error) => void) | undefined;
  readonly prefix: string;
  /** Shown by the server as the connection's name. */
  readonly name: string;
  readonly logger: Logger;
  /** Timeout of each call. */
  readonly timeoutMilliseconds?: number;
}

/** Connects. An unreachable server does not prevent the start: calls fail until it is reachable. */
export async function openRedisStore({
  url,
  tls,
  onUnavailable,
  prefix,
  name,
  logger,
  timeoutMilliseconds = 100,
}: RedisOptions): Promise<KeyValueStore> {
  const client = makeRedisClient({
    url,
    tls,
    retryDelay: reconnectDelayMilliseconds,
    connection: {
      connectionName: name.replaceAll(/\s/g, '-'),
      connectTimeout: 2_000,
      // Treats a server that hangs as a lost connection: a new one may reach its successor.
      socketTimeout: maximumSilenceMilliseconds,
    },
  });
  logConnection(client, logger);
  const disconnect = keepConnecting(client);
  await firstConnection(client, logger, onUnavailable);
  const exchangeWith = (server: RedisClient) =>
    new RedisExchange({ send: sendCommands(server, timeoutMilliseconds), logger, maximumInFlight: 10_000 });
  const exchange = exchangeWith(client);
  return withSingleCalls(
    new RedisStore({
      exchange,
      servers: () => (client instanceof Cluster ? primaryNodes(client).map(exchangeWith) : [exchange]),
      disconnect,
      prefix,
    }),
  );
}

/**
 * Connects again when the client ended by itself, as one does when the Sentinels announce a primary while it asks them for
 * it. Returns a function that disconnects.
 */
function keepConnecting(client: RedisClient): () => void {
  let attempts = 0;
  let timer: NodeJS.Timeout | undefined;
  let disconnected = false;
  client.on('ready', () => (attempts = 0));
  client.on('end', () => {
    if (disconnected) return;
    attempts += 1;
    // A failure is an `error` event too.
    timer = setTimeout(
      () => void client.connect().catch(() => undefined),
      reconnectDelayMilliseconds(attempts),
    );
  });
  return () => {
    disconnected = true;
    clearTimeout(timer);
    client.disconnect();
  };
}

function reconnectDelayMilliseconds(attempt: number): number {
  return backoff({ initialMilliseconds: 50, maximumMilliseconds: 2_000, attempt: attempt - 1 });
}

/** Logs failures 1, 2, 4, 8, 16 of an unreachable server, then every thirtieth, about every 45 s. */
function logConnection(redis: RedisClient, logger: Logger): void {
  let connected = false;
  let failures = 0;
  let next = 1;
  redis.on('error', (error: Error) => {
    failures += 1;
    if (failures < next) return;
    next = failures + Math.min(failures, maximumUnloggedFailures);
    logger.warn({ error, failures }, 'Redis connection failed');
  });
  redis.on('close', () => {
    if (connected) logger.warn({}, 'Redis connection lost');
    connected = false;
  });
  redis.on('ready', () => {
    connected = true;
    if (failures > 0) logger.info({ failures }, 'Redis connected');
    else logger.debug({}, 'Redis connected');
    failures = 0;
    next = 1;
  });
}

async function firstConnection(
  redis: RedisClient,
  logger: Logger,
  onUnavailable: RedisOptions['onUnavailable'],
): Promise<void> {
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(maximumFirstWaitMilliseconds) });
    // A cluster connects to each node with its first command, which would take longer than a call may.
    await Promise.allSettled(primaryNodes(redis).map((node) => node.status === 'wait' && node.connect()));
  } catch (error) {
    logger.warn({ error }, 'Redis does not answer; starting without it');
    onUnavailable?.(error as Error);
  }
}
