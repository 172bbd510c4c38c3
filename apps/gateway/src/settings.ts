import {
  accessLogSetting,
  autoscaleSettings,
  awaitExecutorsSetting,
  backlogSettings,
  bufferedBodiesSetting,
  bodySettings,
  boolean,
  bytes,
  callerSettings,
  choice,
  codeSettings,
  pythonSettings,
  commonSettings,
  databaseReplicaSetting,
  defineSettings,
  drainSetting,
  durableRunSettings,
  environmentVariablesSetting,
  integer,
  isPlaceholderKey,
  list,
  text,
  url,
  workersSetting,
} from '@millrace/service';
import type { SettingsValues } from '@millrace/service';
import { issuersSetting } from './authentication/sign-on/issuer-settings';

/** The settings of the gateway that the standalone app has too. */
export const sharedGatewaySettings = defineSettings({
  ...commonSettings,
  ...codeSettings,
  ...pythonSettings,
  MILLRACE_WORKERS: workersSetting,
  PORT: integer({
    default: 7860,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the HTTP interface; 0 selects a free port.',
  }),
  INGEST_URL: url({
    optional: true,
    protocols: ['http'],
    description: 'URL of the ingest service, to which webhooks are forwarded unread.',
  }),
  MILLRACE_RUN_RECORDS: choice(['full', 'lean', 'none'], {
    unusual: true,
    default: 'full',
    description:
      'What is kept of a run that succeeds while its caller waits, unless its flow says so: `full` the row, `lean` the row without request and result, `none` a number.',
    page: 'docs/use/runs.md#what-is-kept',
  }),
  MILLRACE_ACCESS_LOG: accessLogSetting,
  MILLRACE_BOOTSTRAP_API_KEY: text({
    optional: true,
    secret: true,
    description:
      'An API key of the first user, created at start-up when it does not exist yet. A new key must begin with `sk-` and have 24 to 512 characters.',
    check(key) {
      // A key of another form is refused for its form where it would be created.
      if (key.startsWith('sk-') && isPlaceholderKey(key))
        throw new Error('is the key of an example; make one with: echo "sk-$(openssl rand -hex 24)"');
    },
  }),
  MILLRACE_MIGRATE: choice(['on', 'off', 'only'], {
    default: 'on',
    description: 'Whether the gateway migrates the database when it starts; `only` migrates it and exits.',
  }),
  MILLRACE_APPLY_DIRECTORY: text({
    optional: true,
    description:
      'Folder of flows, variables and triggers that the gateway gives to the user of MILLRACE_BOOTSTRAP_API_KEY, or of the standalone app, when it starts; it deletes nothing. [docs/use/flows-as-code.md](../use/flows-as-code.md).',
  }),
  MILLRACE_POOLS: list({
    default: ['default'],
    description: 'Pools whose queues are declared at start-up; executors declare those of their own pool.',
  }),
  MILLRACE_AWAIT_EXECUTORS: awaitExecutorsSetting,
  MILLRACE_DRAIN_SECONDS: drainSetting,
  MILLRACE_RUN_DEADLINE_SECONDS: integer({
    default: 300,
    minimum: 1,
    maximum: 3_600,
    description: 'How long a caller waits for a run; after that the answer is 504.',
  }),
  ...durableRunSettings,
  ...bodySettings,
  MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES: bufferedBodiesSetting({ default: 67_108_864 }),
  MILLRACE_MAXIMUM_UPLOAD_BYTES: bytes({
    default: 1_073_741_824,
    minimum: 1_024,
    description: 'Maximum size of an uploaded file.',
  }),
  MILLRACE_USER_CONCURRENT_RUNS: integer({
    formerly: ['MILLRACE_USER_CALLERS'],
    default: 1_000,
    minimum: 1,
    description:
      'Maximum number of runs of one user whose callers wait at the same time; more are answered with 429. Each process grants its part, see `MILLRACE_TOTAL_WORKERS`.',
  }),
  ...backlogSettings,
  ...autoscaleSettings,
  ...callerSettings,
  MILLRACE_QUERY_KEYS: boolean({
    default: true,
    description: 'Whether an API key is accepted in the query, where proxies and their logs can see it.',
  }),
  MILLRACE_ISSUERS: issuersSetting,
  MILLRACE_ENVIRONMENT_VARIABLES: environmentVariablesSetting,
  MILLRACE_CONSOLE: boolean({
    default: true,
    description: 'Whether the web console is served at `/`; without it, `/` is a plain page.',
  }),
  MILLRACE_TRACE_URL_TEMPLATE: url({
    unusual: true,
    optional: true,
    placeholder: '{trace_id}',
    description:
      'Address of a trace in your trace backend, with `{trace_id}` in place of its id, such as `https://tempo.example/trace/{trace_id}`. The console links each traced run to it.',
  }),
});

/** The settings of the gateway. Each is a row of the settings table in the documentation. */
export const gatewaySettings = defineSettings({
  ...sharedGatewaySettings,
  DATABASE_REPLICA_URL: databaseReplicaSetting,
});

export type GatewaySettings = SettingsValues<typeof gatewaySettings>;
