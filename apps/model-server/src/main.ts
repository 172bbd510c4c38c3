import { createLogger, orExit, readSettings, runService } from '@millrace/service';
import { modelServerSettings } from './settings';
import { startModelServer } from './start-model-server';

const settings = orExit(() => readSettings(modelServerSettings, process.env));
const logger = createLogger({ name: 'model-server', level: settings.LOG_LEVEL, pretty: true });

runService({
  name: 'model-server',
  logger,
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
