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

/** The settings of the ingest service; each one is a row of the settings table in the documentation. */
export const ingestSettings = defineSettings({
  ...commonSettings,
  MILLRACE_WORKERS: workersSetting,
  MILLRACE_INGEST_PORT: integer({
    default: 7861,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the ingest service; gateways reach it through `INGEST_URL`.',
  }),
  MILLRACE_DRAIN_SECONDS: drainSetting,
  MILLRACE_WEBHOOK_AUTH: choice(['required', 'off'], {
    default: 'required',
    description:
      'Whether webhooks need an API key. `off` ignores keys and runs the flow as its owner. A flow can override this.',
  }),
  MILLRACE_LIMIT_PROCESSES: limitProcessesSetting,
  MILLRACE_KEY_REQUESTS_PER_SECOND: integer({
    optional: true,
    minimum: 1,
    description:
      'Maximum number of requests per second with one API key, and separately of webhooks; more are answered with 429. Each process grants its part, see `MILLRACE_LIMIT_PROCESSES`.',
  }),
  ...bodySettings,
  MILLRACE_MAXIMUM_BODIES_BYTES: bodiesSetting({ default: 268_435_456 }),
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
  MILLRACE_RUN_RETENTION_DAYS: integer({
    default: 7,
    minimum: 4,
    maximum: 3_650,
    description:
      'How long ended runs are kept; at least four days, because senders repeat a delivery for three.',
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
});

export type IngestSettings = SettingsValues<typeof ingestSettings>;
