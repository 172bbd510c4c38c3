import { redisAddress } from '@millrace/service';
import type { TlsMaterial } from '@millrace/service';
import { Cluster, Redis } from 'ioredis';
import type { RedisOptions as ClientOptions } from 'ioredis';

/** A connection to one server, to the primary that Sentinels name, or to the nodes of a cluster. */
export type RedisClient = Redis | Cluster;

export interface RedisClientOptions {
  /** In a form of `redisAddress`. */
  readonly url: string;
  readonly tls?: TlsMaterial | undefined;
  /** Returns the delay before the next connection, by the number of tries; null to give up. */
  readonly retryDelay: (attempt: number) => number | null;
  /** Options of each connection to a server. */
  readonly connection: Pick<
    ClientOptions,
    'connectionName' | 'connectTimeout' | 'socketTimeout' | 'commandTimeout'
  >;
  /** True to connect only when asked to. */
  readonly lazyConnect?: boolean;
}

/** How often a command follows a node of a cluster that refers to another one: after that, its call has timed out. */
const MAXIMUM_REDIRECTIONS = 3;
const REDIRECTION_MILLISECONDS = 50;
/** How long a Sentinel has to name the primary, or a node of a cluster to list the nodes. */
const DISCOVERY_TIMEOUT_MILLISECONDS = 2_000;

/** Makes the client for an address. Calls without a connection fail at once, instead of waiting in a growing queue. */
export function makeRedisClient({
  url,
  tls,
  retryDelay,
  connection,
  lazyConnect = false,
}: RedisClientOptions): RedisClient {
  const address = redisAddress(url);
  const common = {
    ...connection,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A former primary refuses writes: a new connection asks for the present one.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
  };
  if (address.kind === 'server')
    return new Redis(url, {
      ...common,
      enableOfflineQueue: false,
      lazyConnect,
      retryStrategy: retryDelay,
      ...(tls && { tls }),
    });
  const { username, password, database: db } = address;
  const login = { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
  const encryption = address.isEncrypted ? { tls: tls ?? {} } : {};
  if (address.kind === 'cluster') {
    return new Cluster([...address.hosts], {
      lazyConnect,
      enableOfflineQueue: false,
      redisOptions: { ...common, ...login, ...encryption },
      clusterRetryStrategy: retryDelay,
      maxRedirections: MAXIMUM_REDIRECTIONS,
      retryDelayOnFailover: REDIRECTION_MILLISECONDS,
      retryDelayOnClusterDown: REDIRECTION_MILLISECONDS,
      slotsRefreshTimeout: DISCOVERY_TIMEOUT_MILLISECONDS,
      slotsRefreshInterval: 5_000,
      // A certificate names hosts: their addresses would not match it.
      ...(address.isEncrypted && { dnsLookup: (host, callback) => callback(null, host) }),
    });
  }
  return new Redis({
    ...common,
    ...login,
    ...encryption,
    enableOfflineQueue: false,
    db,
    lazyConnect,
    retryStrategy: retryDelay,
    sentinels: [...address.hosts],
    ...(address.primary !== undefined && { name: address.primary }),
    ...(address.sentinelPassword !== undefined && { sentinelPassword: address.sentinelPassword }),
    sentinelRetryStrategy: retryDelay,
    sentinelReconnectStrategy: retryDelay,
    sentinelCommandTimeout: DISCOVERY_TIMEOUT_MILLISECONDS,
    ...(address.isEncrypted && { enableTLSForSentinelMode: true, sentinelTLS: tls ?? {} }),
    // The Sentinels announce a new primary: connections to a former one that hangs or returns end at once.
    failoverDetector: true,
  });
}

/** Returns a client for each server that accepts writes; of a cluster, those that are known now. */
export function primaryNodes(client: RedisClient): readonly Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}
