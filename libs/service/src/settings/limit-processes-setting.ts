import { integer } from './kinds';

/** Of services whose processes each grant a part of a limit. */
export const limitProcessesSetting = integer({
  optional: true,
  minimum: 1,
  maximum: 10_000,
  description:
    'How many processes of this service share the limits of a key and of a user: each grants its part, so that all together grant no more than the limit. Unset: `MILLRACE_WORKERS`, which is right where all processes are on one machine; with several containers their number times the workers of each.',
});
