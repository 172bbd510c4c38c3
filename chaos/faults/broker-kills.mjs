import { setTimeout as pause } from 'node:timers/promises';
import { requireClosed, requireEnded } from './evidence.mjs';
import { outageLimits } from './outage-limits.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {Fault} */
export default {
  id: 'F3',
  title: 'the broker is killed',
  mustHold:
    'lost 0; ≥ 99 % of webhooks 202; waiting callers get a result or 503 with Retry-After in time; backlog empty ≤ 30 s',
  async inject({ servers: { broker }, random, note, signal, isAlone }) {
    const times = isAlone ? 3 : 1;
    for (let number = 0; number < times && !signal.aborted; number += 1) {
      const pid = broker.pid();
      await broker.kill();
      try {
        await requireEnded(pid);
        await requireClosed(broker.url);
        note(`the broker (${pid}) is stopped`);
        await pause(random.integer(0, 3_000));
      } finally {
        await broker.start();
      }
      note('the broker is running again');
      // Queues that were declared again must be on disk before the next kill.
      if (number + 1 < times) await pause(8_000);
    }
    return { kills: times };
  },
  limits: outageLimits,
};
