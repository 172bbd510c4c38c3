import { defineSettings } from './define-settings';
import { integer } from './kinds';

/** Settings of services that count the backlog. */
export const backlogSettings = defineSettings({
  MILLRACE_BACKLOG_INTERVAL_SECONDS: integer({
    unusual: true,
    default: 10,
    minimum: 1,
    maximum: 3_600,
    description:
      'Interval at which one process counts the runs that no executor has begun. A count that takes long is repeated later, but within a minute: counting takes at most 2 % of the time unless a count takes more than a second.',
  }),
});

/** Settings of `GET /api/v1/autoscale`. */
export const autoscaleSettings = defineSettings({
  MILLRACE_AUTOSCALE_TARGET_RUNS: integer({
    unusual: true,
    default: 64,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Number of runs, waiting and executed, for which `GET /api/v1/autoscale` answers one executor. [docs/operate/sizing.md](sizing.md#autoscaling).',
  }),
  MILLRACE_AUTOSCALE_MINIMUM_EXECUTORS: integer({
    unusual: true,
    default: 1,
    minimum: 0,
    maximum: 100_000,
    description: 'Minimum number of executors of each pool that `GET /api/v1/autoscale` answers.',
  }),
  MILLRACE_AUTOSCALE_MAXIMUM_EXECUTORS: integer({
    unusual: true,
    default: 10,
    minimum: 1,
    maximum: 100_000,
    description: 'Maximum number of executors of each pool that `GET /api/v1/autoscale` answers.',
  }),
});
