import { boolean } from './kinds';

/** For services that publish jobs. */
export const awaitExecutorsSetting = boolean({
  unusual: true,
  default: true,
  description:
    'Whether a new process is ready only once executors announce themselves; all of them must read its jobs in any case. `false` where every pool can be without executors.',
});
