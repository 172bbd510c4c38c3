import { boolean, choice, text } from './kinds';

/** Settings of gateways, ingest services and executors: which components run in Python, and where. */
export const pythonSettings = {
  MILLRACE_PYTHON: choice(['off', 'approved', 'all'], {
    default: 'off',
    description:
      'Whether components without a native counterpart run in Python: `off` refuses them, `approved` runs stock components and the texts that an admin approved, `all` runs every text. Must be the same on gateways, ingest services and executors.',
  }),
  MILLRACE_PYTHON_ALL_ALLOWED: boolean({
    default: false,
    description:
      'Confirms `MILLRACE_PYTHON=all` for an installation that others can reach: everyone with an API key can then execute Python. Needed unless the standalone app listens on a loopback address.',
  }),
  MILLRACE_PYTHON_POOL: text({
    default: 'python',
    description:
      'Pool of the runs that need Python, for flows that name no pool. `default` when all executors have Python; the standalone app always uses its own. Must be the same on gateways and ingest services.',
  }),
} as const;
