import { setTimeout as pause } from 'node:timers/promises';
import { require } from './evidence.mjs';

/** In hand when their service is told to stop. */
const SLOW_RUN_MILLISECONDS = 4_000;
const SLOW_RUNS = 3;
/** Until a balancer has seen that a service is back. */
const SEEN_MILLISECONDS = 1_000;

export default {
  id: 'F10',
  title: 'every service is restarted in order, one by one',
  mustHold: 'failures that clients see 0; each exit code 0 within 30 s; no attempt is consumed or repeated',
  async strike({ all, load, note, signal, isAlone }) {
    const exits = [];
    for (let round = 0; round < (isAlone ? 2 : 1) && !signal.aborted; round += 1)
      for (const service of all) {
        const { pid } = service;
        for (let number = 0; number < SLOW_RUNS; number += 1) {
          void load.sendSlowWebhook(SLOW_RUN_MILLISECONDS);
          void load.sendSlowRun(SLOW_RUN_MILLISECONDS);
        }
        await pause(SEEN_MILLISECONDS);
        const started = Date.now();
        const end = await service.terminate();
        exits.push({ name: service.name, ...end, milliseconds: Date.now() - started });
        await service.up();
        require(service.pid !== pid, `${service.name} is still process ${pid}`);
        note(
          `${service.name} ended with ${end.signal ?? end.code} after ${Date.now() - started} ms and is back`,
        );
      }
    return { exits };
  },
  limits: ({ figures, evidence: { exits } }) => [
    { what: 'failures that clients saw', limit: 0, value: figures.serverErrors + figures.broken },
    { what: 'attempts that count as failed', limit: 0, value: figures.failedAttempts },
    { what: 'effects repeated', limit: 0, value: figures.sinkDuplicates },
    { what: 'exits other than 0', limit: 0, value: exits.filter(({ code }) => code !== 0).length },
    {
      what: 'longest way to the exit (ms)',
      limit: 30_000,
      value: Math.max(...exits.map(({ milliseconds }) => milliseconds)),
    },
  ],
};
