import {
  bodiesSetting,
  bodySettings,
  boolean,
  bytes,
  choice,
  codeSettings,
  commonSettings,
  defineSettings,
  drainSetting,
  environmentVariablesSetting,
  integer,
  limitProcessesSetting,
  list,
  text,
  url,
  workersSetting,
} from '@millrace/service';
import type { SettingsValues } from '@millrace/service';

/** The settings of the gateway. Each is a row of the settings table in the documentation. */
export const gatewaySettings = defineSettings({
  ...commonSettings,
  ...codeSettings,
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
  MILLRACE_BOOTSTRAP_API_KEY: text({
    optional: true,
    secret: true,
    description:
      'An API key of the first user, created at start-up when it does not exist yet. A new key must begin with `sk-` and have 24 to 512 characters.',
  }),
  MILLRACE_MIGRATE: choice(['on', 'off', 'only'], {
    default: 'on',
    description: 'Whether the gateway migrates the database when it starts; `only` migrates it and exits.',
  }),
  MILLRACE_POOLS: list({
    default: ['default'],
    description: 'Pools whose queues are declared at start-up; executors declare those of their own pool.',
  }),
  MILLRACE_DRAIN_SECONDS: drainSetting,
  MILLRACE_RUN_DEADLINE_SECONDS: integer({
    default: 300,
    minimum: 1,
    maximum: 3_600,
    description: 'How long a caller waits for a run; after that the answer is 504.',
  }),
  MILLRACE_BACKGROUND_LIMIT_SECONDS: integer({
    default: 600,
    minimum: 1,
    description: 'Time limit of a background run from its start.',
  }),
  MILLRACE_MAXIMUM_ATTEMPTS: integer({
    default: 3,
    minimum: 1,
    maximum: 20,
    description: 'Maximum number of attempts of a durable run whose executor crashes.',
  }),
  MILLRACE_USER_RUNS_AHEAD: integer({
    default: 250,
    minimum: 0,
    maximum: 100_000,
    description:
      'Maximum number of background runs of one user that are queued in one pool, in addition to running ones; the others wait in the database. They are counted whenever a run is accepted; 0 for no limit and no counting.',
  }),
  MILLRACE_USER_RUNS_WAITING: integer({
    default: 200_000,
    minimum: 1,
    description: 'Maximum number of background runs in the backlog of one user; more are answered with 429.',
  }),
  ...bodySettings,
  MILLRACE_MAXIMUM_BODIES_BYTES: bodiesSetting({ default: 67_108_864 }),
  MILLRACE_MAXIMUM_FLOW_MEMBERS: integer({
    default: 500_000,
    minimum: 1_000,
    maximum: 10_000_000,
    description:
      'The same limit for a body with flows whose key has the scope `manage`, and for each file of an archive. The largest published flows have about 15,000 members.',
  }),
  MILLRACE_MAXIMUM_UPLOAD_BYTES: bytes({
    default: 1_073_741_824,
    minimum: 1_024,
    description: 'Maximum size of an uploaded file.',
  }),
  MILLRACE_MAXIMUM_WAITING_RUNS: integer({
    default: 10_000,
    minimum: 1,
    description:
      'Maximum number of runs that one gateway waits for at the same time; more are answered with 503.',
  }),
  MILLRACE_USER_CALLERS: integer({
    default: 1_000,
    minimum: 1,
    description:
      'Maximum number of callers of one user that wait for runs at the same time; more are answered with 429. Each process grants its part, see `MILLRACE_LIMIT_PROCESSES`.',
  }),
  MILLRACE_LIMIT_PROCESSES: limitProcessesSetting,
  MILLRACE_KEY_REQUESTS_PER_SECOND: integer({
    optional: true,
    minimum: 1,
    description:
      'Maximum number of requests per second with one API key, and separately of webhooks; more are answered with 429. Each process grants its part, see `MILLRACE_LIMIT_PROCESSES`.',
  }),
  MILLRACE_WEBHOOK_AUTH: choice(['required', 'off'], {
    default: 'required',
    description:
      'Whether webhooks need an API key. `off` ignores keys and runs the flow as its owner. A flow can override this.',
  }),
  MILLRACE_QUERY_KEYS: boolean({
    default: true,
    description: 'Whether an API key is accepted in the query, where proxies and their logs can see it.',
  }),
  MILLRACE_COMPATIBILITY: choice(['corrected', 'strict'], {
    default: 'corrected',
    description: '`strict` also reproduces the harmless bugs of Langflow.',
  }),
  MILLRACE_ENVIRONMENT_VARIABLES: environmentVariablesSetting,
  MILLRACE_PUBLIC_URL: url({
    optional: true,
    description:
      'Base URL at which callers reach the gateway, for addresses shown in flows; taken from each request when unset.',
  }),
});

export type GatewaySettings = SettingsValues<typeof gatewaySettings>;
