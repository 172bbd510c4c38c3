import { RefusedSignIns } from '@millrace/access';
import { openConnections, requireSettings, serversOf } from '@millrace/connections';
import { addExecutorReadiness, EncryptionKeyAnnouncement, LostAttempts } from '@millrace/dispatch';
import {
  checkEncryptionKey,
  Encryption,
  openObjectStore,
  openOutsideSecrets,
  openStores,
} from '@millrace/runs';
import { createOutgoingFetch, measureProcess, pythonPoolOf } from '@millrace/service';
import type { Health, Logger, Metrics } from '@millrace/service';
import { startIngest } from './ingest';
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
    name: `millrace-ingest.2-${instance}`,
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
  const objects = openObjectStore({ url: settings.MILLRACE_OBJECT_STORE_URL, metrics });
  const stores = openStores({
    ...connections,
    objects,
    encryption,
    isolatesLastAttempts: true,
    logger,
    publicUrl: settings.MILLRACE_PUBLIC_URL,
    outsideSecrets: openOutsideSecrets({ setting: settings.MILLRACE_SECRET_STORE, logger, metrics }),
  });
  const { flows } = stores;
  const refusedSignIns = new RefusedSignIns({ audit: stores.audit, logger, metrics });
  const fetch = createOutgoingFetch({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  const ingest = await startIngest({
    settings,
    logger,
    metrics,
    health,
    bus,
    names,
    clock,
    keyValue,
    ...stores,
    refusedSignIns,
    lostAttempts: new LostAttempts({ keyValue, logger, flowNames: { get: (id) => flows.name(id) } }),
    fetch,
    instance,
    pythonPool: pythonPoolOf(settings),
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
      await objects?.close();
      await stores.variables.close();
      stopMeasuring();
      await metrics.close();
    },
  };
}
