import { withCodePolicy } from '@millrace/flow';
import type { ComponentRegistry } from '@millrace/flow';
import {
  checkPythonExposure,
  createLogger,
  createMetrics,
  Health,
  processName,
  programSettings,
  runService,
  shareMetrics,
  startTelemetry,
  version,
} from '@millrace/service';
import { executorSettings } from './settings';

// `--single-run` is internal and not listed: the executor forks this program with it.
const USAGE = `executor [options]
  --pool <name>      pool that this executor belongs to; default
  --concurrency <n>  maximum number of concurrent runs; 64
  --workers <n>      how many processes share the queue; auto is one for each core
  --help
Settings are environment variables: docs/operate/configuration.md`;

export interface RunExecutorOptions {
  /** Path of this program; isolated attempts run in a fork of it. */
  readonly program: string;
  /** Loads the components; called once. */
  registry(): Promise<ComponentRegistry>;
}

/** Runs the executor program: a service that takes jobs or, with `--single-run`, a fork that executes one attempt. */
export function runExecutor({ program, registry }: RunExecutorOptions): void {
  const { settings, flags, warnings } = programSettings({
    usage: USAGE,
    settings: executorSettings,
    check: (values) => checkPythonExposure(values, null),
    options: { pool: 'MILLRACE_POOL', concurrency: 'MILLRACE_CONCURRENCY', workers: 'MILLRACE_WORKERS' },
    flags: ['single-run'],
  });
  const isSingle = flags['single-run'];
  const logger = createLogger({
    name: isSingle ? 'single-run' : 'executor',
    level: settings.LOG_LEVEL,
    format: settings.LOG_FORMAT,
  });
  const shutdownMilliseconds = settings.MILLRACE_SHUTDOWN_SECONDS * 1_000;
  const environment = process.env;
  const identity = { serviceName: 'millrace-executor', version, environment };
  const components = async () =>
    withCodePolicy(await registry(), {
      knownCode: settings.MILLRACE_KNOWN_CODE,
      editedCode: settings.MILLRACE_EDITED_CODE,
    });

  if (isSingle) {
    // Its executor decides when it exits, even when the whole process group receives a signal.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
    const serving = async (): Promise<void> => {
      const telemetry = await startTelemetry(identity);
      const { serveAttempt } = await import('./attempts/isolation/serve-attempt');
      await serveAttempt({ settings, logger, environment, registry: await components(), telemetry });
    };
    void serving().catch((error: unknown) => {
      logger.fatal({ error }, 'single-run: failed');
      process.exit(1);
    });
    return;
  }
  runService({
    name: 'executor',
    logger,
    warnings,
    workers: settings.MILLRACE_WORKERS,
    shutdownMilliseconds: shutdownMilliseconds + 5_000,
    start: async () => {
      // Tracing patches client libraries as they load, so everything else is loaded after it.
      const telemetry = await startTelemetry(identity);
      const { openExecutor } = await import('./open-executor');
      const executor = await openExecutor({
        settings,
        logger,
        metrics: shareMetrics(createMetrics(identity)),
        health: new Health(),
        worker: processName(),
        environment,
        registry: await components(),
        program,
        telemetry,
      });
      return {
        async close() {
          await executor.close({ deadlineMilliseconds: shutdownMilliseconds });
          await telemetry.close();
        },
      };
    },
  });
}
