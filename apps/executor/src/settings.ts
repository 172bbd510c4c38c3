import {
  boolean,
  bytes,
  codeSettings,
  pythonProcessSettings,
  pythonSettings,
  commonSettings,
  defineSettings,
  choice,
  environmentVariablesSetting,
  integer,
  setting,
  share,
  text,
  workersSetting,
} from '@millrace/service';
import type { SettingsValues } from '@millrace/service';
import { readPriceTable } from './attempts/vertex-records/model-prices';
import type { PriceTable } from './attempts/vertex-records/model-prices';

// Without these names, the type of the settings cannot be written in other projects.
export type { ModelPrice, PriceTable } from './attempts/vertex-records/model-prices';

/** Settings of an executor; each one is a row of the settings table in the documentation. */
export const executorSettings = defineSettings({
  ...commonSettings,
  ...codeSettings,
  ...pythonSettings,
  ...pythonProcessSettings,
  MILLRACE_POOL: text({
    default: 'default',
    description:
      'Pool that this executor belongs to; each flow names the pool that runs it. `--pool` overrides it.',
  }),
  MILLRACE_WORKERS: workersSetting,
  MILLRACE_CONCURRENCY: integer({
    default: 64,
    minimum: 1,
    maximum: 4096,
    description: 'Maximum number of concurrent runs of this executor. `--concurrency` overrides it.',
  }),
  MILLRACE_MAXIMUM_MEMORY_BYTES: bytes({
    formerly: ['MILLRACE_MEMORY_CEILING'],
    default: 0,
    minimum: 0,
    description:
      'Maximum resident memory of an executor process; above it, the process finishes its in-flight runs and exits with 0, so that its supervisor restarts it. 0 sets no limit.',
  }),
  MILLRACE_QUARANTINE_MEMORY_BYTES: bytes({
    unusual: true,
    formerly: ['MILLRACE_QUARANTINE_MEMORY'],
    default: 536_870_912,
    minimum: 67_108_864,
    description:
      'Maximum heap size of the separate process in which a run is isolated that has possibly crashed its executors.',
  }),
  MILLRACE_ENVIRONMENT_VARIABLES: environmentVariablesSetting,
  MILLRACE_VERTEX_RECORDS: boolean({
    default: true,
    description:
      'Whether records of the vertices are kept: of runs that failed, of others at low rates, and of a sample of the rest. If false, no flow keeps any; tokens and costs are still added up.',
  }),
  MILLRACE_VERTEX_RECORD_SAMPLE_RATE: share({
    unusual: true,
    default: 0.05,
    description:
      'The share of the runs that did not fail, beyond ten of a flow a second, whose vertex records are kept, from 0 to 1; 0 keeps none of them. The setting `records.sampleRate` of a flow takes precedence.',
  }),
  MILLRACE_VERTEX_RECORD_VALUES: choice(['off', 'failed', 'all'], {
    unusual: true,
    default: 'failed',
    description:
      'Which vertex records contain inputs and outputs, shortened and without secrets: none, those of failed runs, or all. The setting `records.values` of a flow takes precedence.',
  }),
  MILLRACE_MODEL_PRICES: setting<
    PriceTable | undefined,
    { readonly description: string; readonly optional: true; readonly unusual: true }
  >(
    'file',
    {
      unusual: true,
      optional: true,
      description:
        'A JSON file of prices of models that replaces the built-in one, in US dollars for a million tokens: `{"models": {"gpt-4o": {"input": 2.5, "output": 10}}}`.',
    },
    readPriceTable,
    () => '',
  ),
  MILLRACE_MCP_STDIO: boolean({
    default: false,
    description:
      'Whether flows can start MCP servers as programs on the machine of the executor. These programs have all permissions of the executor.',
  }),
  MILLRACE_SQL_WRITES: boolean({
    default: false,
    description:
      'Whether SQL queries of flows can change the databases that they name. If false, they run in read-only transactions; restricted permissions of the database user are the better protection.',
  }),
  MILLRACE_EXECUTOR_HEALTH_PORT: integer({
    default: 0,
    minimum: 0,
    maximum: 65_535,
    description:
      'Port of `/healthz`, `/readyz` and `/metrics` of an executor process; 0 selects a free port and logs it.',
  }),
});

export type ExecutorSettings = SettingsValues<typeof executorSettings>;
