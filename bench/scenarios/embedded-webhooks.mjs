import { setTimeout as pause } from 'node:timers/promises';
import { atLeast } from '../goals.mjs';
import { loadedSides } from '../load/loaded-sides.mjs';

const POLL_MILLISECONDS = 100;
/** For the runs that were accepted in one measurement. */
const PATIENCE_MILLISECONDS = 300_000;

/** B21: what it costs the standalone app to wait for the disk. */
export default {
  id: 'B21',
  title: 'Webhook → Parser → Chat Output, standalone with embedded parts, 64 connections',
  limit: 'commits that do not wait for the disk (--durability process)',
  goal: 'accepts at least 1,000 webhooks a second that are on disk',
  of: 'the limit',
  async open(surroundings) {
    const target = async (durability) => {
      const { url, headers } = await surroundings.startStandalone({ flags: ['--durability', durability] });
      return {
        url: `${url}/api/v1/webhook/order-webhook`,
        headers,
        body: { customer: 'Ann', quantity: 3, product: 'pencils' },
        expected: '"run_id"',
        settle: () => whenEnded(url, headers),
      };
    };
    return loadedSides(
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

/** Runs that are still open would take CPU time from the next measurement. */
async function whenEnded(url, headers) {
  const giveUpAt = performance.now() + PATIENCE_MILLISECONDS;
  for (const status of ['accepted', 'queued', 'running'])
    while ((await runsIn(status, url, headers)) > 0) {
      if (performance.now() > giveUpAt) return { errors: 1 };
      await pause(POLL_MILLISECONDS);
    }
  return { errors: 0 };
}

async function runsIn(status, url, headers) {
  const answer = await fetch(`${url}/api/v1/runs?status=${status}&limit=1`, { headers });
  return (await answer.json()).runs.length;
}
