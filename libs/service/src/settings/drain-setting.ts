import { integer } from './kinds';

/** For services behind a load balancer. */
export const drainSetting = integer({
  description:
    'How long after SIGTERM requests are still accepted while `/readyz` returns 503 and responses close their connections: the time that a load balancer needs to notice. Part of the shutdown time.',
  unusual: true,
  default: 2,
  minimum: 0,
  maximum: 600,
});
