import { createLogger, programSettings, runService } from '@millrace/service';
import { modelServerSettings } from './settings';
import { startModelServer } from './start-model-server';

const { settings, warnings } = programSettings({
  usage: `model-server [options]
  --port <number>   default 7870; 0 selects a free port
  --host <address>  default 127.0.0.1
  --help
Settings are environment variables: apps/model-server/README.md`,
  settings: modelServerSettings,
  options: { port: 'PORT', host: 'HOST' },
});
const logger = createLogger({
  name: 'model-server',
  level: settings.LOG_LEVEL,
  format: settings.LOG_FORMAT,
});

runService({
  name: 'model-server',
  logger,
  warnings,
  shutdownMilliseconds: settings.MILLRACE_SHUTDOWN_SECONDS * 1000,
  start: async () => {
    const apiKey = settings.MILLRACE_MODEL_API_KEY;
    const server = await startModelServer({
      port: settings.PORT,
      host: settings.HOST,
      logger,
      ...(apiKey === undefined ? {} : { apiKey }),
    });
    logger.info({ url: server.url }, 'model-server: ready');
    return server;
  },
});
