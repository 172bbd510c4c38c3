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
import { standaloneSettings } from './settings';

const { values: flags } = parseArgs({
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    data: { type: 'string' },
    demo: { type: 'boolean', default: false },
  },
});
const environment = {
  ...process.env,
  ...(flags.port === undefined ? {} : { PORT: flags.port }),
  ...(flags.host === undefined ? {} : { HOST: flags.host }),
  ...(flags.data === undefined ? {} : { MILLRACE_DATA_DIRECTORY: flags.data }),
};
const settings = orExit(() => readSettings(standaloneSettings, environment));
const logger = createLogger({ name: 'standalone', level: flags.demo ? 'warn' : settings.LOG_LEVEL });
const print = (line: string) => process.stdout.write(`${line}\n`);

runService({
  name: 'standalone',
  logger,
  shutdownMilliseconds: settings.MILLRACE_SHUTDOWN_SECONDS * 1_000 + 5_000,
  start: async () => {
    // Tracing patches the clients as they load: everything else is loaded after it.
    const telemetry = await startTelemetry({ serviceName: 'millrace', version: '0.1.0', environment });
    const { openStandalone } = await import('./open-standalone');
    const parts = { settings, logger, metrics: createMetrics(), health: new Health(), environment };
    if (flags.demo) {
      const { runDemo } = await import('./run-demo');
      await runDemo(parts, print);
      await telemetry.close();
      process.exit(0);
    }
    const standalone = await openStandalone(parts);
    print(standalone.banner);
    logger.info({ port: standalone.port }, 'standalone: ready');
    return {
      async close() {
        await standalone.close();
        await telemetry.close();
      },
    };
  },
});
