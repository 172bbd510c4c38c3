import { setTimeout as pause } from 'node:timers/promises';
import { countOf } from './count-of.mjs';
import { require } from './evidence.mjs';

/** @import { Fault } from '../fault.ts' */
/** @import { RunAnswer } from '../load/ledger.mjs' */

/**
 * @typedef {object} Evidence
 * @property {number} cuts
 * @property {number} connectionsCut
 * @property {number} waited
 * @property {number} answered
 * @property {number} unanswered
 */

const EVERY_MILLISECONDS = 5_000;
/** Longer than the time between two cuts, so that at least one cut happens during every run. */
const RUN_MILLISECONDS = 8_000;
const RUNS_BETWEEN_CUTS = 3;

/** @type {Fault<Evidence>} */
export default {
  id: 'cut-all',
  title: 'all connections to all servers are cut every five seconds',
  mustHold:
    'no run of eight seconds ends dead or failed; every caller gets the result, or a 503 if its gateway had no connection to the broker for more than 3 s',
  async inject({ all, load, note, signal, isAlone }) {
    const evidence = { cuts: 0, connectionsCut: 0, waited: 0, answered: 0, unanswered: 0 };
    /** @type {Promise<RunAnswer>[]} */
    const waiting = [];
    for (let number = 0; number < (isAlone ? 12 : 3) && !signal.aborted; number += 1) {
      for (let run = 0; run < RUNS_BETWEEN_CUTS; run += 1) {
        void load.sendSlowWebhook(RUN_MILLISECONDS);
        waiting.push(load.sendSlowRun(RUN_MILLISECONDS));
      }
      await pause(EVERY_MILLISECONDS);
      const cut = all
        .flatMap(({ proxies }) => Object.values(proxies))
        .reduce((sum, proxy) => sum + proxy.cut(), 0);
      require(cut > 0, 'there was no connection to cut');
      note(`${cut} connections are cut`);
      evidence.cuts += 1;
      evidence.connectionsCut += cut;
    }
    const outcome = await Promise.all(waiting);
    evidence.waited = outcome.length;
    evidence.unanswered = outcome.filter(({ status }) => status === 0).length;
    evidence.answered = outcome.filter(({ status }) => status === 200).length;
    note(`${evidence.answered} of ${evidence.waited} runs of eight seconds were answered with their result`);
    return evidence;
  },
  limits: ({ figures, evidence }) => [
    { what: 'runs that ended dead', limit: 0, value: countOf(figures.ends, ' dead') },
    { what: 'runs that ended failed', limit: 0, value: countOf(figures.ends, ' failed') },
    { what: 'runs with waiting callers without an answer', limit: 0, value: evidence.unanswered },
    {
      what: 'runs with waiting callers answered without their result',
      limit: 0,
      value: evidence.waited - evidence.answered - evidence.unanswered,
      // The time to reconnect to the broker depends on the machine.
      isTiming: true,
    },
  ],
};
