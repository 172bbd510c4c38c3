import {
  bodiesSetting,
  bodySettings,
  choice,
  commonSettings,
  defineSettings,
  drainSetting,
  integer,
  limitProcessesSetting,
  workersSetting,
} from '@millrace/service';
import type { SettingsValues } from '@millrace/service';

/** What the ingest service can be told; every line is a row of the settings table in the documentation. */
export const ingestSettings = defineSettings({
  ...commonSettings,
  MILLRACE_WORKERS: workersSetting,
  MILLRACE_INGEST_PORT: integer({
    default: 7861,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the ingest service; gateways find it by `INGEST_URL`.',
  }),
  MILLRACE_DRAIN_SECONDS: drainSetting,
  MILLRACE_WEBHOOK_AUTH: choice(['required', 'off'], {
    default: 'required',
    description:
      'Whether webhooks need an API key. `off` ignores keys and runs as the owner of the flow; a flow may set its own.',
  }),
  MILLRACE_LIMIT_PROCESSES: limitProcessesSetting,
  MILLRACE_KEY_REQUESTS_PER_SECOND: integer({
    optional: true,
    minimum: 1,
    description:
      'How many requests an API key may make in a second, and how many webhooks besides; more are answered with 429. Each process grants its part of it, see `MILLRACE_LIMIT_PROCESSES`.',
  }),
  ...bodySettings,
  MILLRACE_MAXIMUM_BODIES_BYTES: bodiesSetting({ default: 268_435_456 }),
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
  MILLRACE_RUN_RETENTION_DAYS: integer({
    default: 7,
    minimum: 4,
    maximum: 3_650,
    description:
      'How long ended runs are kept; not less than four days, since senders repeat a delivery for three.',
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
});

export type IngestSettings = SettingsValues<typeof ingestSettings>;
