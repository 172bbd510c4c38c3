import {
  boolean,
  bytes,
  codeSettings,
  commonSettings,
  defineSettings,
  environmentVariablesSetting,
  integer,
  text,
  workersSetting,
} from '@millrace/service';
import type { SettingsValues } from '@millrace/service';

/** What an executor can be told; every line is a row of the settings table in the documentation. */
export const executorSettings = defineSettings({
  ...commonSettings,
  ...codeSettings,
  MILLRACE_POOL: text({
    default: 'default',
    description:
      'Pool of executors this one belongs to; flows name the pool that runs them. `--pool` overrides it.',
  }),
  MILLRACE_WORKERS: workersSetting,
  MILLRACE_CONCURRENCY: integer({
    default: 64,
    minimum: 1,
    maximum: 4096,
    description: 'How many runs this executor works on at a time. `--concurrency` overrides it.',
  }),
  MILLRACE_MAXIMUM_VERTICES: integer({
    default: 10_000,
    minimum: 1,
    description: 'How many vertices one run may execute, repeats included.',
  }),
  MILLRACE_MAXIMUM_OUTPUT_BYTES: integer({
    default: 33_554_432,
    minimum: 1024,
    description: 'How large the answer of one run may be, in bytes of JSON.',
  }),
  MILLRACE_CACHED_RESULTS: integer({
    default: 10_000,
    minimum: 0,
    maximum: 10_000_000,
    description:
      'How many results of runs are kept for each user, for flows and callers that ask for it; 0 keeps none.',
  }),
  MILLRACE_CACHED_RESULT_CHARACTERS: integer({
    default: 131_072,
    minimum: 1_024,
    maximum: 16_777_216,
    description: 'How large a result may be that is kept, with its messages, in characters of JSON.',
  }),
  MILLRACE_MAXIMUM_LAG_MILLISECONDS: integer({
    default: 500,
    minimum: 10,
    description:
      'How late the event loop of an executor may be, in milliseconds, before it works on fewer runs at a time until it is on time again.',
  }),
  MILLRACE_STALL_SECONDS: integer({
    default: 8,
    minimum: 0,
    maximum: 3_600,
    description:
      'How long the event loop of an executor process may stand still before the process is ended from outside of it, so that other executors take its runs; 0 lets it. More than 8 lets a run be taken over from a process that still has it.',
  }),
  MILLRACE_MEMORY_CEILING: bytes({
    default: 0,
    minimum: 0,
    description:
      'How much memory an executor process may use, resident; above that it finishes what it has in hand and exits with 0, for its supervisor to start it again. 0 sets no bound.',
  }),
  MILLRACE_QUARANTINE_MEMORY: bytes({
    default: 536_870_912,
    minimum: 67_108_864,
    description:
      'How large the heap of the process may become in which a run that may have ended its executors runs alone.',
  }),
  MILLRACE_ENVIRONMENT_VARIABLES: environmentVariablesSetting,
  MILLRACE_SCRIPT_MILLISECONDS: integer({
    default: 1_000,
    minimum: 10,
    maximum: 60_000,
    description: 'How long one call of a script of a flow may take, in milliseconds.',
  }),
  MILLRACE_SCRIPT_MEMORY_BYTES: integer({
    default: 67_108_864,
    minimum: 4_194_304,
    maximum: 1_073_741_824,
    description: 'How much memory one call of a script of a flow may use.',
  }),
  MILLRACE_MCP_STDIO: boolean({
    default: false,
    description:
      'Whether flows may start MCP servers as programs on the machine of the executor. They can do there whatever the executor can.',
  }),
  MILLRACE_SQL_WRITES: boolean({
    default: false,
    description:
      'Whether SQL queries of flows may change the databases they name. Without it they run in transactions that only read; what a database lets its user do is the better guard.',
  }),
  MILLRACE_EXECUTOR_HEALTH_PORT: integer({
    default: 0,
    minimum: 0,
    maximum: 65_535,
    description:
      'Port of `/healthz`, `/readyz` and `/metrics` of an executor process; 0 takes a free one and logs it.',
  }),
});

export type ExecutorSettings = SettingsValues<typeof executorSettings>;
