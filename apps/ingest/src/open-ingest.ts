import { RefusedSignIns } from '@millrace/access';
import { openConnections, requireSettings, serversOf } from '@millrace/connections';
import { addExecutorReadiness, EncryptionKeyAnnouncement, LostAttempts } from '@millrace/dispatch';
import { BodyBudget } from '@millrace/http';
import { checkEncryptionKey, Encryption, openStores } from '@millrace/runs';
import { createOutgoingFetch, fixedLimits, measureProcess, pythonPoolOf } from '@millrace/service';
import type { Health, Logger, Metrics } from '@millrace/service';
import { startIngest } from './ingest';
import { queueDependencies } from './intake/queues/queue-dependencies';
import type { IngestSettings } from './settings';

export interface OpenIngestOptions {
  readonly settings: IngestSettings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly instance: string;
}

/** Opens an ingest process: its connections and its server. */
export async function openIngest(options: OpenIngestOptions): Promise<{ close(): Promise<void> }> {
  const { logger, metrics, health, instance } = options;
  const settings = requireSettings(options.settings, ['DATABASE_URL', 'AMQP_URL', 'MILLRACE_ENCRYPTION_KEY']);
  const encryption = Encryption.from(settings.MILLRACE_ENCRYPTION_KEY);
  const connections = await openConnections({
    name: `millrace-ingest-${instance}`,
    instance,
    ...serversOf(settings),
    dataDirectory: undefined,
    pools: ['default'],
    maximumDatabaseConnections: 8,
    migrate: false,
    awaitsMigrations: true,
    checkDatabase: (database) => checkEncryptionKey({ database, encryption, logger }),
    needsDatabaseOnly: true,
    logger,
    metrics,
    health,
  });
  const { bus, names, clock, keyValue } = connections;
  addExecutorReadiness({ health, keyValue, awaitsExecutors: settings.MILLRACE_AWAIT_EXECUTORS });
  const keyAnnouncement = await EncryptionKeyAnnouncement.open({
    keyValue,
    process: `ingest-${instance}`,
    keys: encryption.keyIds,
  });
  const stores = openStores({ ...connections, encryption, isolatesLastAttempts: true, logger });
  const { flows } = stores;
  const refusedSignIns = new RefusedSignIns({ audit: stores.audit, logger, metrics });
  const fetch = createOutgoingFetch({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  const ingest = await startIngest({
    logger,
    metrics,
    health,
    bus,
    names,
    clock,
    ...stores,
    refusedSignIns,
    lostAttempts: new LostAttempts({ keyValue, logger, flowNames: { get: (id) => flows.name(id) } }),
    fetch,
    queues: queueDependencies(settings, stores.queueSources),
    instance,
    pythonPool: pythonPoolOf(settings),
    webhookAuthentication: settings.MILLRACE_WEBHOOK_AUTH,
    maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES,
    maximumBodyMembers: fixedLimits.bodyMembers,
    bodies: new BodyBudget({ maximumBytes: settings.MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES }),
    backlogIntervalMilliseconds: settings.MILLRACE_BACKLOG_INTERVAL_SECONDS * 1_000,
    accessLog: settings.MILLRACE_ACCESS_LOG,
    backgroundLimitMilliseconds: settings.MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS * 1_000,
    maximumAttempts: fixedLimits.runAttempts,
    runRetentionDays: settings.MILLRACE_RUN_RETENTION_DAYS,
    auditRetentionDays: settings.MILLRACE_AUDIT_RETENTION_DAYS,
    keptFlowVersions: settings.MILLRACE_KEPT_FLOW_VERSIONS,
    keyRequestsPerSecond: settings.MILLRACE_KEY_REQUESTS_PER_SECOND,
    limitProcesses: settings.MILLRACE_TOTAL_WORKERS ?? settings.MILLRACE_WORKERS,
    publishedRunsPerUser: settings.MILLRACE_USER_QUEUE_SHARE,
    userBacklogLimit: settings.MILLRACE_USER_BACKLOG_LIMIT,
  });
  const stopMeasuring = measureProcess(metrics);
  const { port } = await ingest.listen({ host: settings.HOST, port: settings.MILLRACE_INGEST_PORT });
  logger.info({ port }, 'ingest: ready');
  return {
    async close() {
      await health.drain(settings.MILLRACE_DRAIN_SECONDS * 1_000);
      await ingest.close();
      await fetch.close();
      await refusedSignIns.close();
      await keyAnnouncement.close();
      await connections.close();
      stopMeasuring();
      await metrics.close();
    },
  };
}
