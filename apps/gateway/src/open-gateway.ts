import { componentRegistry } from '@millrace/components';
import { withCodePolicy } from '@millrace/flow';
import type { ComponentRegistry } from '@millrace/flow';
import { RefusedSignIns } from '@millrace/access';
import { openConnections, requireSettings, serversOf } from '@millrace/connections';
import type { Connections } from '@millrace/connections';
import { addExecutorReadiness, EncryptionKeyAnnouncement } from '@millrace/dispatch';
import {
  checkEncryptionKey,
  Encryption,
  openObjectStore,
  openOutsideSecrets,
  openStores,
} from '@millrace/runs';
import { environmentVariables, measureProcess, pythonPoolOf } from '@millrace/service';
import type { Environment, Health, Logger, Metrics } from '@millrace/service';
import { applyAtStart } from './apply/apply-at-start';
import { ensureFirstUser } from './authentication/ensure-first-user';
import { addIngestReadiness } from './ingest-readiness';
import { createGateway } from './gateway';
import type { GatewaySettings } from './settings';

export interface OpenGatewayOptions {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly instance: string;
  readonly environment: Environment;
}

export interface OpenGateway {
  readonly port: number;
  close(): Promise<void>;
}

const MAXIMUM_DATABASE_CONNECTIONS = 10;

/** Starts a gateway process: opens its connections, migrates the database, creates the first user and listens. */
export async function openGateway(options: OpenGatewayOptions): Promise<OpenGateway> {
  const { logger, metrics, health, instance } = options;
  const settings = requireSettings(options.settings, [
    'DATABASE_URL',
    'AMQP_URL',
    'INGEST_URL',
    'MILLRACE_ENCRYPTION_KEY',
  ]);
  const encryption = Encryption.from(settings.MILLRACE_ENCRYPTION_KEY);
  const pythonPool = pythonPoolOf(settings);
  const connections = await openConnections({
    name: `millrace-gateway.2-${instance}`,
    instance,
    ...serversOf(settings),
    replicaUrl: settings.DATABASE_REPLICA_URL,
    dataDirectory: undefined,
    pools: [...new Set([...settings.MILLRACE_POOLS, ...(pythonPool === null ? [] : [pythonPool])])],
    maximumDatabaseConnections: MAXIMUM_DATABASE_CONNECTIONS,
    migrate: settings.MILLRACE_MIGRATE === 'on',
    awaitsMigrations: true,
    checkDatabase: (database) => checkEncryptionKey({ database, encryption, logger }),
    logger,
    metrics,
    health,
  });
  const { keyValue } = connections;
  const { stores, objects } = await openGatewayStores(options, connections, encryption);
  const refusedSignIns = new RefusedSignIns({ audit: stores.audit, logger, metrics });
  addIngestReadiness(health, settings.INGEST_URL);
  addExecutorReadiness({ health, keyValue, awaitsExecutors: settings.MILLRACE_AWAIT_EXECUTORS });
  const keyAnnouncement = await EncryptionKeyAnnouncement.open({
    keyValue,
    process: `gateway-${instance}`,
    keys: encryption.keyIds,
  });
  const { MILLRACE_SHUTDOWN_SECONDS: shutdown, MILLRACE_DRAIN_SECONDS: drain } = settings;
  const gateway = createGateway({
    ...connections,
    ...stores,
    settings: { ...settings, MILLRACE_SHUTDOWN_SECONDS: Math.max(0, shutdown - drain) },
    logger,
    metrics,
    health,
    registry: registryOf(settings),
    environmentVariable: environmentVariables(options.environment, settings.MILLRACE_ENVIRONMENT_VARIABLES),
    refusedSignIns,
    instance,
    webhooks: { forwardTo: settings.INGEST_URL },
    batchesMessages: true,
    pythonPool,
  });
  const stopMeasuring = measureProcess(metrics);
  const { port } = await gateway.listen({ host: settings.HOST, port: settings.PORT });
  logger.info({ host: settings.HOST, port }, 'gateway: ready');
  await applyAtStart({
    directory: settings.MILLRACE_APPLY_DIRECTORY,
    url: `http://${['0.0.0.0', '::'].includes(settings.HOST) ? '127.0.0.1' : settings.HOST}:${port}`,
    key: settings.MILLRACE_BOOTSTRAP_API_KEY,
    environment: options.environment,
    logger,
  });
  return {
    port,
    async close() {
      await health.drain(drain * 1_000);
      await gateway.close();
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

/** Opens the stores and creates the first user. */
async function openGatewayStores(
  { settings, logger, metrics }: OpenGatewayOptions,
  connections: Connections,
  encryption: Encryption,
) {
  const objects = openObjectStore({ url: settings.MILLRACE_OBJECT_STORE_URL, metrics });
  const stores = openStores({
    ...connections,
    objects,
    encryption,
    pythonMode: settings.MILLRACE_PYTHON,
    publicUrl: settings.MILLRACE_PUBLIC_URL,
    outsideSecrets: openOutsideSecrets({ setting: settings.MILLRACE_SECRET_STORE, logger, metrics }),
    logger,
  });
  await ensureFirstUser({ ...stores, bootstrapKey: settings.MILLRACE_BOOTSTRAP_API_KEY, logger });
  if (!(await stores.apiKeys.anyExists()))
    logger.warn({}, 'no API key exists; set MILLRACE_BOOTSTRAP_API_KEY to create one');
  return { stores, objects };
}

function registryOf({
  MILLRACE_KNOWN_CODE: knownCode,
  MILLRACE_EDITED_CODE: editedCode,
}: GatewaySettings): ComponentRegistry {
  return withCodePolicy(componentRegistry, { knownCode, editedCode });
}
