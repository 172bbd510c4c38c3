import { redisPlace } from '@millrace/service';
import type { Logger, TlsMaterial } from '@millrace/service';
import type { KeyValueStore } from './key-value-store';
import { openMemoryStore } from './memory/memory-store';

export interface OpenKeyValueStoreOptions {
  /** A Redis server, Sentinels or a cluster; undefined for this process's memory. */
  readonly url: string | undefined;
  /** Certificates and key for rediss://. */
  readonly tls?: TlsMaterial | undefined;
  /** Called with the reason when the first connection fails; further tries follow. */
  readonly onUnavailable?: (reason: Error) => void;
  /** Prefix of every key, so that several systems can share a server. */
  readonly prefix: string;
  readonly logger: Logger;
  /** Name of the program, for the server's list of connections. */
  readonly name: string;
}

/** Opens the key-value store that the settings select, and logs which one it is. */
export async function openKeyValueStore({
  url,
  tls,
  onUnavailable,
  prefix,
  logger,
  name,
}: OpenKeyValueStoreOptions): Promise<KeyValueStore> {
  if (url === undefined) {
    logger.info({}, 'Key-value store: in memory');
    return openMemoryStore();
  }
  logger.info({ server: redisPlace(url), prefix }, 'Key-value store: Redis');
  // Its client takes a tenth of a second to load, which a program with a store in memory does not need.
  const { openRedisStore } = await import('./redis/open-redis-store');
  return openRedisStore({ url, tls, onUnavailable, prefix, name, logger });
}
