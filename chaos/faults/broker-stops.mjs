import { setTimeout as pause } from 'node:timers/promises';
import { requireClosed } from './evidence.mjs';
import { outageLimits } from './outage-limits.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {Fault<{ readonly ended: number }>} */
export default {
  id: 'F4',
  title: 'the broker is stopped gracefully for ten seconds',
  mustHold: 'as F3; no process exits',
  async inject({ servers: { broker }, all, note }) {
    const before = all.map(({ pid }) => pid);
    await broker.control('stop_app');
    try {
      await requireClosed(broker.url);
      note('the broker is stopped');
      await pause(10_000);
    } finally {
      await broker.control('start_app');
    }
    return { ended: all.filter(({ pid }, index) => pid !== before[index]).length };
  },
  limits: (result) => [
    ...outageLimits(result),
    { what: 'processes that exited', limit: 0, value: result.evidence.ended },
  ],
};
