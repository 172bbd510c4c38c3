import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import {
  createLogger,
  createMetrics,
  Health,
  orExit,
  readSettings,
  runService,
  startTelemetry,
} from '@millrace/service';
import { executorSettings } from './settings';

const { values: flags } = parseArgs({
  options: { pool: { type: 'string' }, concurrency: { type: 'string' } },
});
const settings = orExit(() =>
  readSettings(executorSettings, {
    ...process.env,
    ...(flags.pool === undefined ? {} : { MILLRACE_POOL: flags.pool }),
    ...(flags.concurrency === undefined ? {} : { MILLRACE_CONCURRENCY: flags.concurrency }),
  }),
);
const logger = createLogger({ name: 'executor', level: settings.LOG_LEVEL });
const shutdownMilliseconds = settings.MILLRACE_SHUTDOWN_SECONDS * 1_000;

runService({
  name: 'executor',
  logger,
  shutdownMilliseconds: shutdownMilliseconds + 5_000,
  start: async () => {
    // Tracing patches the clients as they load: everything else is loaded after it.
    const telemetry = await startTelemetry({
      serviceName: 'millrace-executor',
      version: '0.1.0',
      environment: process.env,
    });
    const { openExecutor } = await import('./open-executor');
    const executor = await openExecutor({
      settings,
      logger,
      metrics: createMetrics(),
      health: new Health(),
      worker: `${hostname()}-${process.pid}-${Math.random().toString(36).slice(2, 8)}`,
      environment: process.env,
    });
    return {
      async close() {
        await executor.close({ deadlineMilliseconds: shutdownMilliseconds });
        await telemetry.close();
      },
    };
  },
});
