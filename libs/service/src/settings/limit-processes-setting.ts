import { integer } from './kinds';

/** For services whose processes each grant a part of a limit. */
export const limitProcessesSetting = integer({
  optional: true,
  minimum: 1,
  maximum: 10_000,
  description:
    'Number of processes of this service that share the limits of a key and of a user: each grants its part, so that all together grant no more than the limit. Unset means `MILLRACE_WORKERS`, which is right when all processes are on one machine; with several containers set the number of containers times the workers of each.',
});
