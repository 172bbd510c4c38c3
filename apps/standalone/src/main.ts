import {
  checkPythonExposure,
  createLogger,
  createMetrics,
  Health,
  programSettings,
  runService,
  startTelemetry,
  version,
} from '@millrace/service';
import { StoredApiKey } from './stored-api-key';
import { standaloneSettings } from './settings';
import { showKey } from './show-key';
import {
  adviceFor,
  contradictionIn,
  flags as knownFlags,
  settingOptions,
  usage,
} from './standalone-options.cjs';

/** Wrong usage (EX_USAGE). */
const EXIT_USAGE = 64;

const { settings, flags, given, environment, warnings } = programSettings({
  usage,
  settings: standaloneSettings,
  check: (settings) => checkPythonExposure(settings, settings.HOST),
  options: settingOptions,
  flags: knownFlags,
});
const contradiction = contradictionIn({ ...given, ...flags });
if (contradiction !== null) {
  process.stderr.write(`${contradiction}\n`);
  process.exit(EXIT_USAGE);
}
const advice = adviceFor(given.data);
if (flags['show-key']) {
  const warn = (sentence: string) => void process.stderr.write(`${sentence}\n`);
  const { exitCode, output, reason } = showKey(
    new StoredApiKey(settings.MILLRACE_DATA_DIRECTORY, warn),
    advice.command,
  );
  if (output !== '') process.stdout.write(`${output}\n`);
  if (reason !== '') process.stderr.write(`${reason}\n`);
  process.exit(exitCode);
}
const logger = createLogger({
  name: 'standalone',
  level: flags.demo ? 'warn' : settings.LOG_LEVEL,
  format: settings.LOG_FORMAT,
});
const print = (line: string) => process.stdout.write(`${line}\n`);

runService({
  name: 'standalone',
  logger,
  warnings,
  shutdownMilliseconds: settings.MILLRACE_SHUTDOWN_SECONDS * 1_000 + 5_000,
  start: async () => {
    // Tracing patches the clients when they are loaded, so load everything else after it.
    const identity = { serviceName: 'millrace', version, environment };
    const telemetry = await startTelemetry(identity);
    const { openStandalone } = await import('./open-standalone');
    const parts = {
      settings,
      logger,
      metrics: createMetrics(identity),
      health: new Health(),
      environment,
      telemetry,
      advice,
      makeNewKey: flags['new-key'],
      startsPython: flags.python,
    };
    if (flags.demo) {
      const { runDemo } = await import('./run-demo');
      await runDemo(
        given.port === undefined ? { ...parts, settings: { ...settings, PORT: 0 } } : parts,
        print,
      );
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
