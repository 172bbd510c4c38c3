import {
  accessLogSetting,
  awaitExecutorsSetting,
  backlogSettings,
  bufferedBodiesSetting,
  bodySettings,
  callerSettings,
  commonSettings,
  pythonSettings,
  defineSettings,
  drainSetting,
  durableRunSettings,
  integer,
  workersSetting,
} from '@millrace/service';
import type { SettingsValues } from '@millrace/service';
import { retentionSetting } from './retention-setting';

/** The settings of the ingest service; each one is a row of the settings table in the documentation. */
export const ingestSettings = defineSettings({
  ...commonSettings,
  ...pythonSettings,
  MILLRACE_WORKERS: workersSetting,
  MILLRACE_INGEST_PORT: integer({
    default: 7861,
    minimum: 0,
    maximum: 65_535,
    description: 'Port of the ingest service; gateways reach it through `INGEST_URL`.',
  }),
  MILLRACE_ACCESS_LOG: accessLogSetting,
  MILLRACE_AWAIT_EXECUTORS: awaitExecutorsSetting,
  MILLRACE_DRAIN_SECONDS: drainSetting,
  ...callerSettings,
  ...bodySettings,
  MILLRACE_MAXIMUM_BUFFERED_BODY_BYTES: bufferedBodiesSetting({ default: 268_435_456 }),
  ...durableRunSettings,
  ...backlogSettings,
  MILLRACE_RUN_RETENTION_DAYS: integer({
    default: 7,
    minimum: 4,
    maximum: 3_650,
    description:
      'How long ended runs are kept; at least four days, because senders repeat a delivery for three.',
  }),
  MILLRACE_RETENTION: retentionSetting,
  MILLRACE_AUDIT_RETENTION_DAYS: integer({
    default: 365,
    minimum: 1,
    maximum: 36_500,
    description: 'How long entries of the audit log are kept.',
  }),
  MILLRACE_KEPT_FLOW_VERSIONS: integer({
    unusual: true,
    default: 20,
    minimum: 1,
    maximum: 10_000,
    description:
      'How many of the newest versions of each flow are kept. Older versions are kept while a run refers to them.',
  }),
});

export type IngestSettings = SettingsValues<typeof ingestSettings>;
