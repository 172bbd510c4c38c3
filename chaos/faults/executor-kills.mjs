import { killServices } from './kill-services.mjs';

/** @import { Fault } from '../fault.ts' */

/** @type {Fault<{ readonly kills: number }>} */
export default {
  id: 'F1',
  title: 'executors are killed',
  mustHold: 'lost 0; doubles 0; sink duplicates ≤ 8 × kills; dead letters 0; runs hit end ≤ flow + 3 s (p99)',
  inject: (site) => killServices(site.executors, site.isAlone ? 20 : 3, site),
  limits: ({ figures, evidence }) => [
    { what: 'sink duplicates', limit: 8 * evidence.kills, value: figures.sinkDuplicates },
    { what: 'dead letters', limit: 0, value: figures.deadLetters },
    {
      what: 'p99 of runs with waiting callers (ms)',
      limit: 3_000 + 20,
      value: figures.runs.p99,
      isTiming: true,
    },
  ],
};
