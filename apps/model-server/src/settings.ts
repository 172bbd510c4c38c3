import { commonSettings, defineSettings, integer, text } from '@millrace/service';

/** What the model server reads from its environment. */
export const modelServerSettings = defineSettings({
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  LOG_FORMAT: commonSettings.LOG_FORMAT,
  HOST: commonSettings.HOST,
  MILLRACE_SHUTDOWN_SECONDS: commonSettings.MILLRACE_SHUTDOWN_SECONDS,
  PORT: integer({ description: 'The port to listen on.', default: 7870, minimum: 0, maximum: 65535 }),
  MILLRACE_MODEL_API_KEY: text({
    description: 'Callers must send this bearer token; unset means anybody may call.',
    optional: true,
    secret: true,
  }),
});
