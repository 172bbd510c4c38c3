import { componentRegistry } from '@millrace/components';
import { openConnections, requireSettings } from '@millrace/connections';
import { Encryption, FlowStore, MessageStore, RunStore, SessionHistory, VariableStore } from '@millrace/runs';
import { createOutgoingFetch, environmentVariables, startHealthServer } from '@millrace/service';
import type { Environment, Health, Logger, Metrics } from '@millrace/service';
import { guardProcess } from './guard-process';
import { startExecutor } from './executor';
import type { Executor } from './executor';
import { resourceProviders } from './resources/resource-providers';
import type { ExecutorSettings } from './settings';

export interface OpenExecutorOptions {
  readonly settings: ExecutorSettings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly worker: string;
  readonly environment: Environment;
}

/** An executor process: its connections, its health port and the executor itself. */
export async function openExecutor(options: OpenExecutorOptions): Promise<Executor> {
  const { logger, metrics, health, worker, environment } = options;
  const settings = requireSettings(options.settings, ['DATABASE_URL', 'AMQP_URL', 'MILLRACE_ENCRYPTION_KEY']);
  const connections = await openConnections({
    name: `millrace-executor-${worker}`,
    instance: worker,
    databaseUrl: settings.DATABASE_URL,
    brokerUrl: settings.AMQP_URL,
    keyValueUrl: settings.REDIS_URL,
    dataDirectory: undefined,
    prefix: settings.MILLRACE_PREFIX,
    pools: [settings.MILLRACE_POOL],
    maximumDatabaseConnections: 8,
    migrate: false,
    logger,
    metrics,
    health,
  });
  const { database, keyValue, bus, names } = connections;
  const encryption = Encryption.from(settings.MILLRACE_ENCRYPTION_KEY);
  const resources = resourceProviders(settings, { database, encryption });
  const messages = new MessageStore({ database });
  const fetch = createOutgoingFetch({ allow: settings.MILLRACE_OUTGOING_ALLOW });
  const executor = await startExecutor({
    logger,
    metrics,
    health,
    bus,
    keyValue,
    registry: componentRegistry,
    names,
    flows: new FlowStore({ database }),
    runs: new RunStore({ database, logger }),
    history: new SessionHistory({ keyValue, messages, logger }),
    variables: new VariableStore({ database, encryption }),
    limits: {
      maximumVertices: settings.MILLRACE_MAXIMUM_VERTICES,
      maximumOutputBytes: settings.MILLRACE_MAXIMUM_OUTPUT_BYTES,
    },
    fetch,
    resources,
    environmentVariable: environmentVariables(environment, settings.MILLRACE_ENVIRONMENT_VARIABLES),
    worker,
    version: '0.1.0',
    pool: settings.MILLRACE_POOL,
    concurrency: settings.MILLRACE_CONCURRENCY,
    maximumLagMilliseconds: settings.MILLRACE_MAXIMUM_LAG_MILLISECONDS,
  });
  const probes = await startHealthServer({
    port: settings.MILLRACE_EXECUTOR_HEALTH_PORT,
    host: settings.HOST,
    health,
    metrics,
  });
  const guards = guardProcess(settings, logger);
  logger.info(
    { pool: settings.MILLRACE_POOL, concurrency: settings.MILLRACE_CONCURRENCY, healthPort: probes.port },
    'executor: ready',
  );
  return {
    async close(deadline) {
      health.beginShutdown();
      await executor.close(deadline);
      await resources.close();
      await connections.close();
      await fetch.close();
      await probes.close();
      await metrics.close();
      await guards.close();
    },
  };
}
