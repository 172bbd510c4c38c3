import { integer } from './kinds';

/** Of services that stand behind a balancer. */
export const drainSetting = integer({
  description:
    'How long after SIGTERM requests are still taken while `/readyz` says 503 and answers end their connections: as long as a balancer needs to notice. Part of the shutdown time.',
  default: 2,
  minimum: 0,
  maximum: 600,
});
