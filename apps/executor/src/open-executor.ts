import { openConnections, requireSettings, serversOf } from '@millrace/connections';
import type { ComponentRegistry } from '@millrace/flow';
import { EncryptionKeyAnnouncement } from '@millrace/dispatch';
import { startHealthServer } from '@millrace/http';
import { checkEncryptionKey, Encryption } from '@millrace/runs';
import { fixedLimits, measureProcess, version } from '@millrace/service';
import type { Environment, Health, Logger, Metrics, Telemetry } from '@millrace/service';
import { openRunTraces } from './traces/open-run-traces';
import { guardProcess } from './guard-process';
import { startExecutor } from './executor';
import type { Executor } from './executor';
import { IsolatedAttempts } from './attempts/isolation/isolated-attempts';
import { openAttempts } from './attempts/open-attempts';
import { addPythonHealth, installedPython, openPython, withPython } from './attempts/python/open-python';
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
  const { logger, metrics, health, worker, environment, registry, program } = options;
  const settings = requireSettings(options.settings, ['DATABASE_URL', 'AMQP_URL', 'MILLRACE_ENCRYPTION_KEY']);
  const encryption = Encryption.from(settings.MILLRACE_ENCRYPTION_KEY);
  const connections = await openConnections({
    name: `millrace-executor-${worker}`,
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
  const { keyValue, bus, names, clock } = connections;
  const keyAnnouncement = await EncryptionKeyAnnouncement.open({
    keyValue,
    process: `executor-${worker}`,
    keys: encryption.keyIds,
  });
  const attempts = openAttempts(settings, { ...connections, logger, environment });
  const installed = await installedPython(settings);
  const python = installed
    ? await openPython({
        settings,
        environment: installed,
        authorCode: attempts.authorCode,
        dial: attempts.resources.dial,
        logger,
        metrics,
      })
    : undefined;
  if (python) addPythonHealth(health, python);
  const traces = openRunTraces({ ...options, ...attempts, process: 'executor' });
  const executor = await startExecutor({
    ...attempts,
    logger,
    metrics,
    health,
    bus,
    keyValue,
    registry: withPython(registry, settings, installed),
    python,
    names,
    clock,
    isolation: new IsolatedAttempts({
      program,
      memoryBytes: settings.MILLRACE_QUARANTINE_MEMORY_BYTES,
      logger,
      lost: traces?.lost,
    }),
    traces,
    worker,
    version,
    pool: settings.MILLRACE_POOL,
    concurrency: settings.MILLRACE_CONCURRENCY,
    maximumLagMilliseconds: fixedLimits.eventLoopLagMilliseconds,
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
      await attempts.resources.close();
      await keyAnnouncement.close();
      await connections.close();
      await attempts.fetch.close();
      await probes.close();
      stopMeasuring();
      await metrics.close();
      await guards.close();
    },
  };
}
