import type { Logger, TlsMaterial } from '@millrace/service';
import type { KeyValueStore } from './key-value-store';
import { openMemoryStore } from './memory/memory-store';
import { openRedisStore } from './redis/open-redis-store';

export interface OpenKeyValueStoreOptions {
  /** A Redis server; undefined for this process's memory. */
  readonly url: string | undefined;
  /** Certificates and key for rediss://. */
  readonly tls?: TlsMaterial | undefined;
  /** Called when the server does not take the first connection, with the reason; further tries follow. */
  readonly absent?: (reason: Error) => void;
  /** Stands before every key, so that several systems can share a server. */
  readonly prefix: string;
  readonly logger: Logger;
  /** Of the program that opens it, for the server's list of connections. */
  readonly name: string;
}

/** Opens the key-value store that the settings ask for, and says in the log which one that is. */
export async function openKeyValueStore({
  url,
  tls,
  absent,
  prefix,
  logger,
  name,
}: OpenKeyValueStoreOptions): Promise<KeyValueStore> {
  if (url === undefined) {
    logger.info({}, 'Key-value store: in memory');
    return openMemoryStore();
  }
  const { host } = new URL(url);
  logger.info({ server: host, prefix }, 'Key-value store: Redis');
  return openRedisStore({ url, tls, absent, prefix, name, logger });
}
