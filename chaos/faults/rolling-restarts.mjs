import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */

/** @typedef {{ readonly name: string, readonly code: number | null, readonly milliseconds: number }} End */

/** The duration of runs that are in flight when their service gets SIGTERM. */
const SLOW_RUN_MILLISECONDS = 4_000;
const SLOW_RUNS = 3;
/** The time in which a balancer notices that a service is ready again. */
const READINESS_POLL_MILLISECONDS = 1_000;

/** @type {Fault<{ readonly exits: readonly End[] }>} */
export default {
  id: 'F10',
  title: 'every service is restarted gracefully, one by one',
  mustHold:
    'failures seen by callers 0; each exit code 0 within 30 s; no attempt is counted as failed, no effect repeated',
  async inject({ all, load, note, signal, isAlone }) {
    /** @type {End[]} */
    const exits = [];
    for (let round = 0; round < (isAlone ? 2 : 1) && !signal.aborted; round += 1)
      for (const service of all) {
        const { pid } = service;
        for (let number = 0; number < SLOW_RUNS; number += 1) {
          void load.sendSlowWebhook(SLOW_RUN_MILLISECONDS);
          void load.sendSlowRun(SLOW_RUN_MILLISECONDS);
        }
        await pause(READINESS_POLL_MILLISECONDS);
        const started = Date.now();
        const end = await service.terminate();
        exits.push({ name: service.name, ...end, milliseconds: Date.now() - started });
        await service.up();
        require(service.pid !== pid, `${service.name} is still process ${pid}`);
        note(
          `${service.name} exited with ${end.signal ?? end.code} after ${Date.now() - started} ms and is ready again`,
        );
      }
    return { exits };
  },
  limits: ({ figures, evidence: { exits } }) => [
    { what: 'failures seen by callers', limit: 0, value: figures.serverErrors + figures.broken },
    { what: 'attempts that count as failed', limit: 0, value: figures.failedAttempts },
    { what: 'effects repeated', limit: 0, value: figures.sinkDuplicates },
    { what: 'exits other than 0', limit: 0, value: exits.filter(({ code }) => code !== 0).length },
    {
      what: 'longest time to exit (ms)',
      limit: 30_000,
      value: Math.max(...exits.map(({ milliseconds }) => milliseconds)),
    },
  ],
};
