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

/** What the gateway can be told; every line is a row of the settings table in the documentation. */
export const gatewaySettings = defineSettings({
  ...commonSettings,
  ...codeSettings,
  MILLRACE_WORKERS: workersSetting,
  PORT: integer({
    default: 7860,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the HTTP interface; 0 takes a free one.',
  }),
  INGEST_URL: url({
    optional: true,
    protocols: ['http'],
    description: 'The ingest service, to which webhooks are forwarded unread.',
  }),
  MILLRACE_BOOTSTRAP_API_KEY: text({
    optional: true,
    secret: true,
    description:
      'An API key of the first user, made at start-up when it is not there yet. It must then begin with `sk-` and have 24 to 512 characters.',
  }),
  MILLRACE_MIGRATE: choice(['on', 'off', 'only'], {
    default: 'on',
    description:
      'Whether the gateway brings the database up to date when it starts; `only` does so and ends the process.',
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
    description: 'How long a caller waits for a run; then the answer is 504.',
  }),
  MILLRACE_BACKGROUND_LIMIT_SECONDS: integer({
    default: 600,
    minimum: 1,
    description: 'How long a background run may take once it has started.',
  }),
  MILLRACE_MAXIMUM_ATTEMPTS: integer({
    default: 3,
    minimum: 1,
    maximum: 20,
    description: 'How often a durable run is tried when its executor dies.',
  }),
  MILLRACE_USER_RUNS_AHEAD: integer({
    default: 250,
    minimum: 0,
    maximum: 100_000,
    description:
      'How many background runs of one user may be queued in one pool, besides those that run; the others wait in the database. Each acceptance counts them; 0 for no limit and no counting.',
  }),
  MILLRACE_USER_RUNS_WAITING: integer({
    default: 200_000,
    minimum: 1,
    description: 'How many background runs of one user may wait for their turn; more are answered with 429.',
  }),
  ...bodySettings,
  MILLRACE_MAXIMUM_BODIES_BYTES: bodiesSetting({ default: 67_108_864 }),
  MILLRACE_MAXIMUM_FLOW_MEMBERS: integer({
    default: 500_000,
    minimum: 1_000,
    maximum: 10_000_000,
    description:
      'The same for a body with flows, once its key may manage flows, and for each file of an archive. The largest published flows have some 15,000.',
  }),
  MILLRACE_MAXIMUM_UPLOAD_BYTES: bytes({
    default: 1_073_741_824,
    minimum: 1_024,
    description: 'How large an uploaded file may be.',
  }),
  MILLRACE_MAXIMUM_WAITING_RUNS: integer({
    default: 10_000,
    minimum: 1,
    description: 'How many runs one gateway waits for at a time; more are answered with 503.',
  }),
  MILLRACE_USER_CALLERS: integer({
    default: 1_000,
    minimum: 1,
    description:
      'How many callers of one user may wait for runs; more are answered with 429. Each process grants its part of it, see `MILLRACE_LIMIT_PROCESSES`.',
  }),
  MILLRACE_LIMIT_PROCESSES: limitProcessesSetting,
  MILLRACE_KEY_REQUESTS_PER_SECOND: integer({
    optional: true,
    minimum: 1,
    description:
      'How many requests an API key may make in a second, and how many webhooks besides; more are answered with 429. Each process grants its part of it, see `MILLRACE_LIMIT_PROCESSES`.',
  }),
  MILLRACE_WEBHOOK_AUTH: choice(['required', 'off'], {
    default: 'required',
    description:
      'Whether webhooks need an API key. `off` ignores keys and runs as the owner of the flow; a flow may set its own.',
  }),
  MILLRACE_QUERY_KEYS: boolean({
    default: true,
    description: 'Whether an API key may come in the query, where proxies and their logs see it.',
  }),
  MILLRACE_COMPATIBILITY: choice(['corrected', 'strict'], {
    default: 'corrected',
    description: '`strict` brings back those behaviours of Langflow that are faults but harm nobody.',
  }),
  MILLRACE_ENVIRONMENT_VARIABLES: environmentVariablesSetting,
  MILLRACE_PUBLIC_URL: url({
    optional: true,
    description:
      'Where callers reach the gateway, for addresses shown in flows; taken from each request when unset.',
  }),
});

export type GatewaySettings = SettingsValues<typeof gatewaySettings>;
