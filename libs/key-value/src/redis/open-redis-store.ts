import { once } from 'node:events';
import type { Logger, TlsMaterial } from '@millrace/service';
import { Redis } from 'ioredis';
import type { KeyValueStore } from '../key-value-store';
import { withSingleCalls } from '../single-calls';
import { RedisExchange } from './redis-exchange';
import { RedisStore } from './redis-store';

const longestFirstWaitMilliseconds = 2_000;
const longestSilenceMilliseconds = 2_000;
const mostUntoldFailures = 30;

export interface RedisOptions {
  /** redis://user:password@host:port/database, rediss:// for TLS */
  readonly url: string;
  readonly tls?: TlsMaterial | undefined;
  /** Called when the server does not take the first connection, with the reason; further tries follow. */
  readonly absent?: ((reason: Error) => void) | undefined;
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
  tls,
  absent,
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
    ...(tls === undefined ? {} : { tls }),
  });
  logConnection(redis, logger);
  await firstConnection(redis, logger, absent);
  const exchange = new RedisExchange({ redis, logger, timeoutMilliseconds, maximumInFlight: 10_000 });
  return withSingleCalls(new RedisStore({ redis, exchange, prefix }));
}

/** From 50 ms up to 2 s, at random in the upper half, so that clients do not all come back at the same moment. */
function reconnectDelayMilliseconds(attempt: number): number {
  const span = Math.min(2_000, 50 * 2 ** Math.min(attempt - 1, 10));
  return Math.round(span / 2 + (span / 2) * Math.random());
}

/** A server that stays away has a line for failures 1, 2, 4, 8, 16 and then for each thirtieth, about every 45 s. */
function logConnection(redis: Redis, logger: Logger): void {
  let connected = false;
  let failures = 0;
  let next = 1;
  redis.on('error', (error: Error) => {
    failures += 1;
    if (failures < next) return;
    next = failures + Math.min(failures, mostUntoldFailures);
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

async function firstConnection(redis: Redis, logger: Logger, absent: RedisOptions['absent']): Promise<void> {
  try {
    await once(redis, 'ready', { signal: AbortSignal.timeout(longestFirstWaitMilliseconds) });
  } catch (error) {
    logger.warn({ error }, 'Redis does not answer; starting without it');
    absent?.(error as Error);
  }
}
