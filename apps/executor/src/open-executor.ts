import { openConnections, requireSettings, serversOf } from '@millrace/connections';
import type { Connections } from '@millrace/connections';
import type { ComponentRegistry } from '@millrace/flow';
import { EncryptionKeyAnnouncement } from '@millrace/dispatch';
import { startHealthServer } from '@millrace/http';
import { checkEncryptionKey, Encryption } from '@millrace/runs';
import { measureProcess, version } from '@millrace/service';
import type { Environment, Health, Logger, Metrics, Telemetry } from '@millrace/service';
import { openRunTraces } from './traces/open-run-traces';
import { guardProcess } from './guard-process';
import { startExecutor } from './executor';
import type { Executor } from './executor';
import { IsolatedAttempts } from './attempts/isolation/isolated-attempts';
import { openAttempts } from './attempts/open-attempts';
import { installedPython, openExecutorPython, withPython } from './attempts/python/open-python';
import type { ExecutorSettings } from './settings';

export interface OpenExecutorOptions {
  readonly settings: ExecutorSettings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly worker: string;
  readonly environment: Environment;
  readonly registry: ComponentRegistry;
  readonly telemetry: Pick<Telemetry, 'enabled' | 'keepStartedSpans'>;
  /** Path of this program; isolated attempts run in a fork of it. */
  readonly program: string;
}

/** Opens the connections, the executor and its health port. */
export async function openExecutor(options: OpenExecutorOptions): Promise<Executor> {
  const { logger, metrics, health, worker, registry, program } = options;
  const settings = requireSettings(options.settings, ['DATABASE_URL', 'AMQP_URL', 'MILLRACE_ENCRYPTION_KEY']);
  const encryption = Encryption.from(settings.MILLRACE_ENCRYPTION_KEY);
  const connections = await connect(options, settings, encryption);
  const keyAnnouncement = await EncryptionKeyAnnouncement.open({
    keyValue: connections.keyValue,
    process: `executor-${worker}`,
    keys: encryption.keyIds,
  });
  const attempts = openAttempts({ ...options, ...connections, settings });
  const environment = await installedPython(settings);
  const { authorCode, resources } = attempts;
  const python = await openExecutorPython({ ...options, environment, authorCode, dial: resources.dial });
  const traces = openRunTraces({ ...options, ...attempts, process: 'executor' });
  const executor = await startExecutor({
    ...options,
    ...connections,
    ...attempts,
    registry: withPython(registry, settings, environment),
    python,
    isolation: new IsolatedAttempts({
      program,
      memoryBytes: settings.MILLRACE_QUARANTINE_MEMORY_BYTES,
      lost: traces?.lost,
    }),
    traces,
    version,
  });
  const probes = await startHealthServer({
    port: settings.MILLRACE_EXECUTOR_HEALTH_PORT,
    host: settings.HOST,
    health,
    metrics,
  });
  const stopMeasuring = measureProcess(metrics);
  const guards = guardProcess(settings, logger);
  logger.info(
    { pool: settings.MILLRACE_POOL, concurrency: settings.MILLRACE_CONCURRENCY, healthPort: probes.port },
    'executor: ready',
  );
  return {
    async close(deadline) {
      health.beginShutdown();
      await executor.close(deadline);
      await python?.pool.close();
      await resources.close();
      await keyAnnouncement.close();
      await connections.close();
      await attempts.objects?.close();
      await attempts.variables.close();
      await attempts.fetch.close();
      await probes.close();
      stopMeasuring();
      await metrics.close();
      await guards.close();
    },
  };
}

/** Opens the connections of an executor; refuses a database with secrets that its key does not decrypt. */
function connect(
  { worker, logger, metrics, health }: OpenExecutorOptions,
  settings: ExecutorSettings,
  encryption: Encryption,
): Promise<Connections> {
  return openConnections({
    name: `millrace-executor.2-${worker}`,
    instance: worker,
    ...serversOf(settings),
    dataDirectory: undefined,
    pools: [settings.MILLRACE_POOL],
    maximumDatabaseConnections: 8,
    migrate: false,
    needsLane: true,
    checkDatabase: (database) => checkEncryptionKey({ database, encryption, logger }),
    logger,
    metrics,
    health,
  });
}
