import { brokerNames, controlTopology, runsTopology } from '@millrace/messages';
import type { BrokerNames } from '@millrace/messages';
import { migrate, openDatabase, openReplicaReads } from '@millrace/database';
import type { Database, Durability, PreparedStatements, Transactional } from '@millrace/database';
import { openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { openMessageBus } from '@millrace/messaging';
import type { MessageBus, QueueState } from '@millrace/messaging';
import { localClock, measureChecks, redisPlace, tlsFailure } from '@millrace/service';
import type { Health, Logger, Metrics, ServerTls, SharedClock } from '@millrace/service';
import { awaitMigrations } from './await-migrations';
import { DatabaseClock } from './database-clock';
import { withServer } from './unusable-server-error';

const CHECK_TIMEOUT_MILLISECONDS = 2_000;
const MAXIMUM_REPLICA_CONNECTIONS = 5;

export interface ConnectionOptions {
  /** The client's name for the servers. */
  readonly name: string;
  /** Names this process on the broker. */
  readonly instance: string;
  /** An unset URL means the embedded implementation, which only one process can use. */
  readonly databaseUrl: string | undefined;
  /** The URL for migrations; undefined to use `databaseUrl`. */
  readonly directDatabaseUrl?: string | undefined;
  /** The URL of a standby for lists; undefined for none. */
  readonly replicaUrl?: string | undefined;
  /** `auto` by default. */
  readonly preparedStatements?: PreparedStatements | undefined;
  readonly brokerUrl: string | undefined;
  readonly keyValueUrl: string | undefined;
  /** Certificates and keys for the servers, if any. */
  readonly tls: ServerTls;
  /** Where the embedded database keeps its files; undefined keeps them in memory. */
  readonly dataDirectory: string | undefined;
  /** Durability of the embedded database's commits; `fsync` by default. */
  readonly durability?: Durability;
  /** Prefix of every name on the broker and of every key. */
  readonly prefix: string;
  readonly pools: readonly string[];
  readonly maximumDatabaseConnections: number;
  /** True to migrate the database first. */
  readonly migrate: boolean;
  /** True to wait until another process has migrated the database; has no effect with `migrate`. */
  readonly awaitsMigrations?: boolean;
  /** Checks the database after the migration, before any other connection is opened; an error aborts the start. */
  readonly checkDatabase?: (database: Database) => Promise<void>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  /** True for a process that works without broker and key-value store. */
  readonly needsDatabaseOnly?: boolean;
  /** True for a process that consumes from lanes: it is not ready while it can consume from none of them. */
  readonly needsLane?: boolean;
}

/** The open connections to the three shared services of an installation. */
export interface Connections {
  readonly database: Database;
  /** For lists, which a replica can serve; `database` without one. */
  readonly reads: Transactional;
  readonly bus: MessageBus;
  readonly keyValue: KeyValueStore;
  readonly names: BrokerNames;
  /** The database's clock, for times that processes on different machines compare. */
  readonly clock: SharedClock;
  /** Closes all connections in reverse order. Idempotent. */
  close(): Promise<void>;
}

/** Opens database, broker and key-value store, migrates and provisions them, and adds their readiness checks. */
export async function openConnections(options: ConnectionOptions): Promise<Connections> {
  const { name, instance, logger, metrics, prefix } = options;
  const names = brokerNames(prefix);
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const part of opened.splice(0).reverse()) {
      await part
        .close()
        .catch((error: unknown) => logger.warn({ error }, 'a connection did not close cleanly'));
    }
  };
  try {
    const postgres = { title: 'PostgreSQL', prefix: 'DATABASE', url: options.databaseUrl };
    const database = await withServer(postgres, () => openDatabase(databaseOptions(options)));
    opened.push(database);
    if (options.migrate && isMigratedDirectly(options)) await migrateDirectly(options);
    const databaseVersion = await withServer(postgres, async () => {
      if (options.migrate && !isMigratedDirectly(options)) await migrate(database, { logger });
      if (!options.migrate && options.awaitsMigrations === true) await awaitMigrations(database, { logger });
      return database.version();
    });
    await options.checkDatabase?.(database);
    const replica = await openReplicaReads({
      url: options.replicaUrl,
      primary: database,
      tls: options.tls.database,
      name: `${name}-lists`,
      maximumConnections: MAXIMUM_REPLICA_CONNECTIONS,
      logger,
      metrics,
    });
    opened.push(replica);
    const clock = options.databaseUrl === undefined ? null : new DatabaseClock({ ...options, database });
    await clock?.start();
    if (clock) opened.push(clock);
    const keyValue = await openKeyValueStore({
      url: options.keyValueUrl,
      tls: options.tls.keyValue,
      onUnavailable: (reason) => reportUnavailable(options.keyValueUrl, reason),
      prefix,
      logger,
      name,
    });
    opened.push(keyValue);
    const bus = await withServer({ title: 'RabbitMQ', prefix: 'AMQP', url: options.brokerUrl }, async () => {
      const messageBus = await openMessageBus({
        url: options.brokerUrl,
        tls: options.tls.broker,
        logger,
        name,
        metrics,
      });
      opened.push(messageBus);
      await messageBus.provision(runsTopology(names, options.pools));
      await messageBus.provision(controlTopology(names, instance));
      return messageBus;
    });
    addChecks(options, { database, keyValue, bus, names });
    measureChecks(metrics, options.health);
    logger.info(
      {
        database: options.databaseUrl ? `PostgreSQL ${databaseVersion}` : 'embedded',
        broker: options.brokerUrl ? 'RabbitMQ' : 'embedded',
        keyValue: options.keyValueUrl ? 'Redis' : 'embedded',
        ...(clock && { clockSkewSeconds: Math.round(clock.skewMilliseconds) / 1_000 }),
      },
      'connected',
    );
    return { database, reads: replica.reads, bus, keyValue, names, clock: clock ?? localClock, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function databaseOptions(options: ConnectionOptions) {
  const { databaseUrl, tls, dataDirectory, durability, preparedStatements, logger, metrics, name } = options;
  return {
    url: databaseUrl,
    tls: tls.database,
    dataDirectory,
    durability,
    maximumConnections: options.maximumDatabaseConnections,
    preparedStatements,
    logger,
    metrics,
    name,
  };
}

function isMigratedDirectly({ databaseUrl, directDatabaseUrl }: ConnectionOptions): boolean {
  return databaseUrl !== undefined && directDatabaseUrl !== undefined;
}

/**
 * Migrates over a direct connection, because a pooler can end a migration that takes longer than its limits for
 * statements.
 */
async function migrateDirectly(options: ConnectionOptions): Promise<void> {
  const { directDatabaseUrl: url, tls, logger, name } = options;
  await withServer(
    { title: 'PostgreSQL', prefix: 'DATABASE', setting: 'DATABASE_DIRECT_URL', url },
    async () => {
      const database = await openDatabase({ url, tls: tls.database, maximumConnections: 1, logger, name });
      try {
        await migrate(database, { logger });
      } finally {
        await database.close();
      }
    },
  );
}

/** Reports on standard error, in addition to the log, that Redis is unavailable at the start of the process. */
function reportUnavailable(url: string | undefined, reason: Error): void {
  const problem = tlsFailure(reason, 'REDIS', url?.startsWith('rediss') ?? false);
  const host = url === undefined ? '' : redisPlace(url);
  process.stderr.write(
    `Redis at ${host} (REDIS_URL) ${problem === undefined ? 'does not answer' : `cannot be used: ${problem}`}; starting without it, not ready until it can be used\n`,
  );
}

type Checked = Pick<Connections, 'database' | 'keyValue' | 'bus' | 'names'>;

/** Adds readiness checks that do real work: a query, a ping, a publish that the broker confirms. */
function addChecks(
  { health, instance, needsDatabaseOnly = false, needsLane = false }: ConnectionOptions,
  { database, keyValue, bus, names }: Checked,
): void {
  const limit = { timeoutMilliseconds: CHECK_TIMEOUT_MILLISECONDS };
  const others = { ...limit, isNeeded: !needsDatabaseOnly };
  health.add('database', () => database.ping(), limit);
  health.add('broker', () => bus.publish(canary(names, instance)), others);
  health.add('key-value', () => keyValue.ping(), others);
  const isWithoutLane = () => needsLane && !bus.queueStates().some(({ isConsuming }) => isConsuming === true);
  health.add('lanes', async () => requireLanes(bus.queueStates()), { ...limit, isNeeded: isWithoutLane });
}

/**
 * Reports failing lanes. A failing lane does not block other lanes, and fails for every process: the check is reported
 * but does not affect readiness.
 */
function requireLanes(states: readonly QueueState[]): void {
  const failing = states.filter(({ problem }) => problem !== null);
  if (failing.length === 0) return;
  throw new Error(failing.map(({ queue, problem }) => `${queue}: ${problem}`).join('; '));
}

function canary(names: BrokerNames, instance: string) {
  return {
    exchange: '',
    routingKey: names.control(instance),
    body: Buffer.from('{"kind":"canary"}'),
    persistent: false,
    mandatory: true,
  };
}
