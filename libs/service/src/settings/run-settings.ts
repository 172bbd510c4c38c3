import { defineSettings } from './define-settings';
import { parseAddressRange } from '../outgoing/address-range';
import { choice, integer, list, url } from './kinds';

/** Settings of services that accept durable runs. */
export const durableRunSettings = defineSettings({
  MILLRACE_BACKGROUND_RUN_DEADLINE_SECONDS: integer({
    formerly: ['MILLRACE_BACKGROUND_LIMIT_SECONDS'],
    default: 600,
    minimum: 1,
    description: 'Time limit of a background run from its start.',
  }),
  MILLRACE_USER_QUEUE_SHARE: integer({
    unusual: true,
    formerly: ['MILLRACE_USER_RUNS_AHEAD'],
    default: 100,
    minimum: 0,
    maximum: 100_000,
    description:
      'Maximum number of background runs of one user that are queued in one pool, in addition to running ones; the others wait in the database. They are counted whenever a run is accepted; 0 for no limit and no counting.',
  }),
  MILLRACE_USER_BACKLOG_LIMIT: integer({
    unusual: true,
    formerly: ['MILLRACE_USER_RUNS_WAITING'],
    default: 200_000,
    minimum: 1,
    description: 'Maximum number of background runs in the backlog of one user; more are answered with 429.',
  }),
});

/** Settings of services that authenticate callers. */
export const callerSettings = defineSettings({
  MILLRACE_TOTAL_WORKERS: integer({
    formerly: ['MILLRACE_LIMIT_PROCESSES'],
    optional: true,
    minimum: 1,
    maximum: 10_000,
    description:
      'Number of processes of this service on all machines, which share the limit of a user, and while Redis is away that of a key: each grants its part. Unset means `MILLRACE_WORKERS`; with several containers set the number of containers times the workers of each.',
  }),
  MILLRACE_KEY_REQUESTS_PER_SECOND: integer({
    optional: true,
    minimum: 1,
    description:
      'Maximum number of requests per second with one API key, without a limit of its own, over all processes; more are answered with 429.',
  }),
  MILLRACE_TRUSTED_PROXIES: list({
    description:
      'Address ranges (CIDR) of proxies whose `X-Forwarded-For` names the caller, for keys with allowed addresses; for ingest the gateways are such proxies.',
    default: [],
    check: (entry) => void parseAddressRange(entry),
  }),
  MILLRACE_PUBLIC_URL: url({
    optional: true,
    description:
      'Base URL at which callers reach the gateway, for addresses shown in flows and in reports; taken from each request when unset, and then reports have paths.',
  }),
  MILLRACE_WEBHOOK_AUTH: choice(['required', 'off'], {
    default: 'required',
    description:
      'Whether webhooks need an API key. `off` ignores keys and runs the flow as its owner. A flow can override this.',
  }),
});
