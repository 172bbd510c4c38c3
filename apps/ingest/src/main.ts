import {
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
import { ingestSettings } from './settings';

const { settings, warnings } = programSettings({
  usage: `ingest [options]
  --workers <n>  how many processes share the port; auto is one for each core
  --help
Settings are environment variables: docs/operate/configuration.md`,
  settings: ingestSettings,
  options: { workers: 'MILLRACE_WORKERS' },
});
const logger = createLogger({ name: 'ingest', level: settings.LOG_LEVEL, format: settings.LOG_FORMAT });

runService({
  name: 'ingest',
  logger,
  warnings,
  workers: settings.MILLRACE_WORKERS,
  shutdownMilliseconds: settings.MILLRACE_SHUTDOWN_SECONDS * 1_000,
  start: async () => {
    // Tracing patches the clients when they are loaded, so load everything else after it.
    const identity = { serviceName: 'millrace-ingest', version, environment: process.env };
    const telemetry = await startTelemetry(identity);
    const { openIngest } = await import('./open-ingest');
    const ingest = await openIngest({
      settings,
      logger,
      metrics: shareMetrics(createMetrics(identity)),
      health: new Health(),
      instance: processName(),
    });
    return {
      async close() {
        await ingest.close();
        await telemetry.close();
      },
    };
  },
});
