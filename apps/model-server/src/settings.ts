import { commonSettings, defineSettings, integer, text } from '@millrace/service';

/** The settings of the model server. */
export const modelServerSettings = defineSettings({
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  LOG_FORMAT: commonSettings.LOG_FORMAT,
  HOST: commonSettings.HOST,
  MILLRACE_SHUTDOWN_SECONDS: commonSettings.MILLRACE_SHUTDOWN_SECONDS,
  PORT: integer({ description: 'The port to listen on.', default: 7870, minimum: 0, maximum: 65535 }),
  MILLRACE_MODEL_API_KEY: text({
    description: 'API key that callers must send. If unset, no key is required.',
    optional: true,
    secret: true,
  }),
});
