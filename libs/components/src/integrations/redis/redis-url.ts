import { ComponentError } from '@millrace/flow';
import type { RedisAddress } from './redis-connection';

const notValid =
  'The Redis connection string is not valid; it has the form redis://user:password@host:port/0.';

/** Reads a connection string. Throws a ComponentError, without the string, for one that cannot be used. */
export function parseRedisUrl(text: string): RedisAddress {
  const url = parsed(text.trim());
  if (url.protocol === 'rediss:') {
    throw new ComponentError('Redis over TLS (rediss://) is not supported.');
  }
  const database = url.pathname.replace(/^\//, '') || '0';
  if (url.protocol !== 'redis:' || url.hostname === '' || !/^\d+$/.test(database)) {
    throw new ComponentError(notValid);
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? 6379 : Number(url.port),
    database: Number(database),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

function parsed(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new ComponentError(notValid);
  }
}
