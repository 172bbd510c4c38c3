import { setTimeout as pause } from 'node:timers/promises';
import { atLeast } from '../goals.mjs';
import { httpSides } from '../load/http-sides.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const POLL_MILLISECONDS = 100;
/** The time limit for the runs that were accepted in one measurement. */
const WAIT_TIMEOUT_MILLISECONDS = 300_000;

/**
 * B21: the cost of durable commits in the standalone app.
 * @type {Scenario}
 */
export default {
  id: 'B21',
  title: 'Webhook → Parser → Chat Output, standalone with embedded parts, 64 connections',
  limit: 'commits that do not wait for the disk (--durability process)',
  goal: 'accepts at least 1,000 durable webhooks a second',
  of: 'the limit',
  async open(benchEnvironment) {
    /** @param {string} durability */
    const target = async (durability) => {
      const { url, headers } = await benchEnvironment.startStandalone({
        flags: ['--durability', durability],
      });
      return {
        url: `${url}/api/v1/webhook/order-webhook`,
        headers,
        body: { customer: 'Ann', quantity: 3, product: 'pencils' },
        expected: '"run_id"',
        settle: () => whenEnded(url, headers),
      };
    };
    return httpSides(
      { limit: await target('process'), millrace: await target('fsync') },
      { connections: 64 },
    );
  },
  conclude: ({ limit, millrace: { perSecond, p50, p99 } }) => ({
    ratio: perSecond / limit.perSecond,
    perSecond,
    p50,
    p99,
    goals: [atLeast('accepted a second', perSecond, 1_000)],
  }),
};

/**
 * Waits until all runs have ended, so that they do not use CPU time during the next measurement.
 * @param {string} url
 * @param {Readonly<Record<string, string>>} headers
 */
async function whenEnded(url, headers) {
  const giveUpAt = performance.now() + WAIT_TIMEOUT_MILLISECONDS;
  for (const status of ['accepted', 'queued', 'running'])
    while ((await runsIn(status, url, headers)) > 0) {
      if (performance.now() > giveUpAt) return { errors: 1 };
      await pause(POLL_MILLISECONDS);
    }
  return { errors: 0 };
}

/**
 * @param {string} status
 * @param {string} url
 * @param {Readonly<Record<string, string>>} headers
 * @returns {Promise<number>}
 */
async function runsIn(status, url, headers) {
  const answer = await fetch(`${url}/api/v1/runs?status=${status}&limit=1`, { headers });
  return /** @type {{ runs: unknown[] }} */ (await answer.json()).runs.length;
}
