import { once } from 'node:events';
import type { Logger } from '@millrace/service';
import { Redis } from 'ioredis';
import type { KeyValueStore } from '../key-value-store';
import { withSingleCalls } from '../single-calls';
import { RedisExchange } from './redis-exchange';
import { RedisStore } from './redis-store';

const longestFirstWaitMilliseconds = 2_000;
const longestSilenceMilliseconds = 2_000;

export interface RedisOptions {
  /** redis://user:password@host:port/database, rediss:// for TLS */
  readonly url: string;
  readonly prefix: string;
  /** Shown by the server as the connection's name. */
  readonly name: string;
  readonly logger: Logger;
  /** For each call. */
  readonly timeoutMilliseconds?: number;
}

/** Connects; a server that is away does not keep the program from starting, its calls fail until it is there. */
export async function openRedisStore({
  url,
  prefix,
  name,
  logger,
  timeoutMilliseconds = 100,
}: RedisOptions): Promise<KeyValueStore> {
  const redis = new Redis(url, {
    connectionName: name.replaceAll(/\s/g, '-'),
    // Who calls while there is no connection is told so at once, instead of waiting in a growing queue.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    // A server that hangs is a lost connection in the end: a new one may reach its successor.
    socketTimeout: longestSilenceMilliseconds,
    retryStrategy: reconnectDelayMilliseconds,
  });
  logConnection(redis, logger);
  await firstConnection(redis, logger);
  const exchange = new RedisExchange({ redis, logger, timeoutMilliseconds, maximumInFlight: 10_000 });
  return withSingleCalls(new RedisStore({ redis, exchange, prefix }));
}

/** From 50 ms up to 2 s, at random in the upper half, so that clients do not all come back at the same moment. */
function reconnectDelayMilliseconds(attempt: number): number {
  const span = Math.min(2_000, 50 * 2 ** Math.min(attempt - 1, 10));
  return Math.round(span / 2 + (span / 2) * Math.random());
}

function logConnection(redis: Redis, logger: Logger): void {
  let connected = false;
  // One line for each outage, not one for each attempt to connect; readiness tells how long it lasts.
  let reported: string | null = null;
  redis.on('error', (error: Error) => {
    if (error.message === reported) logger.debug({ error }, 'Redis connection failed again');
    else logger.warn({ error }, 'Redis connection failed');
    reported = error.message;
  });
  redis.on('close', () => {
    if (connected) logger.warn({}, 'Redis connection lost');
    connected = false;
  });
  redis.on('ready', () => {
    connected = true;
    if (reported === null) logger.debug({}, 'Redis connected');
    else logger.info({}, 'Redis connected again');
    reported = null;
  });
}

async function firstConnection(redis: Redis, logger: Logger): Promise<void> {
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(longestFirstWaitMilliseconds) });
  } catch (error) {
    logger.warn({ error }, 'Redis does not answer; starting without it');
  }
}
