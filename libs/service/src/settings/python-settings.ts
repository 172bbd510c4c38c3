import { boolean, choice, integer, text } from './kinds';

/** Settings of gateways, ingest services and executors: which components run in Python, and where. */
export const pythonSettings = {
  MILLRACE_PYTHON: choice(['off', 'approved', 'all'], {
    default: 'off',
    description:
      'Whether components without a native counterpart run in Python: `off` refuses them, `approved` runs the texts that an admin approved and stock components that execute no code of their own, `all` runs everything. Must be the same on gateways and ingest services; set it only on those executors that have a Python environment.',
  }),
  MILLRACE_PYTHON_ALL_ALLOWED: boolean({
    default: false,
    description:
      'Confirms `MILLRACE_PYTHON=all` for an installation that others can reach: everyone with an API key can then execute Python. Needed unless the standalone app listens on a loopback address.',
  }),
  MILLRACE_PYTHON_POOL: text({
    unusual: true,
    default: 'python',
    description:
      'Pool of the runs that need Python, for flows that name no pool. `default` when all executors have Python; the standalone app always uses its own. Must be the same on gateways and ingest services.',
  }),
} as const;

/** Settings of executors with Python. */
export const pythonProcessSettings = {
  MILLRACE_PYTHON_ENVIRONMENT: text({
    default: '.millrace/python',
    description:
      'Folder of the Python environment, as `npm run python-environment` builds it. Read unless `MILLRACE_PYTHON` is `off`.',
  }),
  MILLRACE_PYTHON_SEAL: choice(['required', 'partial', 'off'], {
    default: 'required',
    description:
      'What the seal of Python processes must provide: `required` runs nothing unless every layer holds, `partial` runs with the layers that the kernel and the container allow, `off` runs without a seal, for development.',
  }),
  MILLRACE_PYTHON_FOLDER: text({
    unusual: true,
    default: '',
    description:
      'Folder of the scratch folders of Python processes, on a volume of bounded size; the folder for temporary files of the system when empty.',
  }),
  MILLRACE_PYTHON_PROCESSES: integer({
    default: 16,
    minimum: 1,
    maximum: 1_024,
    description:
      'Maximum number of Python processes of an executor. A run occupies one from its first vertex in Python to its end; further runs wait for one.',
  }),
  MILLRACE_PYTHON_WAIT_SECONDS: integer({
    unusual: true,
    default: 5,
    minimum: 1,
    maximum: 600,
    description: 'How long a run waits for a free Python process before its attempt fails temporarily.',
  }),
  MILLRACE_PYTHON_READY_PROCESSES: integer({
    unusual: true,
    default: 2,
    minimum: 0,
    maximum: 256,
    description: 'Number of Python processes that are started before a run needs them.',
  }),
  MILLRACE_PYTHON_REUSE: choice(['same-flow', 'never'], {
    unusual: true,
    default: 'same-flow',
    description:
      'Whether a Python process serves further runs: `same-flow` keeps it for the next run of the same user and flow version, `never` ends it with its run.',
  }),
} as const;
