import {
  checkPythonExposure,
  createLogger,
  createMetrics,
  Health,
  processName,
  programSettings,
  runService,
  serverTls,
  shareMetrics,
  startTelemetry,
  version,
} from '@millrace/service';
import { gatewaySettings } from './settings';

const { settings, warnings } = programSettings({
  usage: `gateway [options]
  --workers <n>  number of processes that share the port; auto starts one per core
  --help
Settings are environment variables: docs/operate/configuration.md`,
  settings: gatewaySettings,
  check: (settings) => checkPythonExposure(settings, settings.HOST),
  options: { workers: 'MILLRACE_WORKERS' },
});
const logger = createLogger({ name: 'gateway', level: settings.LOG_LEVEL, format: settings.LOG_FORMAT });

/** Time for closing in addition to draining and waiting for requests in flight. */
const MARGIN_MILLISECONDS = 5_000;

runService({
  name: 'gateway',
  logger,
  warnings,
  // The database is migrated by one process only.
  workers: settings.MILLRACE_MIGRATE === 'only' ? 1 : settings.MILLRACE_WORKERS,
  shutdownMilliseconds: settings.MILLRACE_SHUTDOWN_SECONDS * 1_000 + MARGIN_MILLISECONDS,
  start: async () => {
    // Tracing patches the client libraries when they are loaded, so everything else is loaded after it.
    const identity = { serviceName: 'millrace-gateway', version, environment: process.env };
    const telemetry = await startTelemetry(identity);
    if (settings.MILLRACE_MIGRATE === 'only') {
      const { migrateOnly } = await import('./migrate-only');
      const url = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
      await migrateOnly({ url, tls: serverTls(settings).database }, logger);
      process.exit(0);
    }
    const { openGateway } = await import('./open-gateway');
    const gateway = await openGateway({
      settings,
      logger,
      metrics: shareMetrics(createMetrics(identity)),
      health: new Health(),
      environment: process.env,
      instance: processName(),
    });
    return {
      async close() {
        await gateway.close();
        await telemetry.close();
      },
    };
  },
});
