import { openConnections } from '@millrace/connections';
import { ApiKeyStore, FlowStore, RunStore } from '@millrace/runs';
import { SettingsError } from '@millrace/service';
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

/** An ingest process: its connections and its server. */
export async function openIngest({
  settings,
  logger,
  metrics,
  health,
  instance,
}: OpenIngestOptions): Promise<{ close(): Promise<void> }> {
  const connections = await openConnections({
    name: `millrace-ingest-${instance}`,
    instance,
    databaseUrl: required('DATABASE_URL', settings.DATABASE_URL),
    brokerUrl: required('AMQP_URL', settings.AMQP_URL),
    keyValueUrl: settings.REDIS_URL,
    dataDirectory: undefined,
    prefix: settings.MILLRACE_PREFIX,
    pools: ['default'],
    maximumDatabaseConnections: 8,
    migrate: false,
    logger,
    metrics,
    health,
  });
  const { database, bus, names } = connections;
  const ingest = await startIngest({
    logger,
    metrics,
    health,
    bus,
    names,
    apiKeys: new ApiKeyStore({ database }),
    flows: new FlowStore({ database }),
    runs: new RunStore({ database, logger }),
    instance,
    webhookAuthentication: settings.MILLRACE_WEBHOOK_AUTH,
    maximumBodyBytes: settings.MILLRACE_MAXIMUM_BODY_BYTES,
    backgroundLimitMilliseconds: settings.MILLRACE_BACKGROUND_LIMIT_SECONDS * 1_000,
    maximumAttempts: settings.MILLRACE_MAXIMUM_ATTEMPTS,
  });
  const { port } = await ingest.listen({ host: settings.HOST, port: settings.MILLRACE_INGEST_PORT });
  logger.info({ port }, 'ingest: ready');
  return {
    async close() {
      health.beginShutdown();
      await ingest.close();
      await connections.close();
      await metrics.close();
    },
  };
}

/** Separate processes share these parts, so none of them can be embedded. */
function required<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new SettingsError([`${name} must be set: separate processes share it`]);
  return value;
}
