import { setTimeout as pause } from 'node:timers/promises';
import { atLeast, atMost } from '../goals.mjs';
import { upload, webhookFlow } from '../flows.mjs';
import { loadedSides } from '../load/loaded-sides.mjs';

const POLL_MILLISECONDS = 50;
/** Runs that are still open when none has ended for so long are lost. */
const PATIENCE_MILLISECONDS = 60_000;

/** B3: durable 202s, straight at ingest and through the gateway, and the runs that they promise. */
export default {
  id: 'B3',
  title: 'Webhook → Parser → Chat Output, 64 connections',
  limit: 'Express, batched inserts, 202, a confirmed publish to a quorum queue',
  goal: 'accepts at least 0.6 of the limit; nothing lost; completes at least half as fast as it accepts',
  of: 'the limit',
  async open(surroundings) {
    const database = await surroundings.createDatabase();
    const bare = await surroundings.startBare('accepted-webhooks.cjs', {
      environment: { DATABASE_URL: database.url, BENCH_QUEUE: await surroundings.queueName() },
    });
    const system = await surroundings.startSystem();
    const { endpoint } = await upload(system, webhookFlow('bench-webhook'));
    const path = `/api/v1/webhook/${endpoint}`;
    const body = { text: 'three pencils', customer: 'Ann' };
    const runs = new PromisedRuns(system);
    const accepting = (url) => ({
      url: `${url}${path}`,
      headers: system.headers,
      body,
      expected: '"run_id"',
      settle: (accepted, startedAt) => runs.settle(accepted, startedAt),
    });
    return loadedSides(
      {
        limit: { url: `${bare.url}${path}`, body, expected: 'run_id' },
        ingest: accepting(`http://127.0.0.1:${system.ingestPort}`),
        gateway: accepting(system.url),
      },
      { connections: 64 },
    );
  },
  conclude: ({ limit, ingest, gateway }) => ({
    ratio: ingest.perSecond / limit.perSecond,
    perSecond: ingest.perSecond,
    p50: ingest.p50,
    p99: ingest.p99,
    goals: [
      atLeast('accepted at ingest beside the limit', ingest.perSecond / limit.perSecond, 0.6),
      atLeast('completed beside accepted', ingest.completedPerSecond / ingest.perSecond, 0.5),
      atMost('lost or refused', ingest.errors + gateway.errors, 0),
    ],
  }),
};

/** Waits for the runs of accepted webhooks, and finds those that are missing or did not end well. */
class PromisedRuns {
  #system;
  /** Ended before; what a load generator leaves unanswered when it stops may be among them. */
  #known = { succeeded: 0, failed: 0 };

  constructor(system) {
    this.#system = system;
  }

  async settle(accepted, startedAt) {
    const seconds = ((await this.#whenEnded()) - startedAt) / 1_000;
    const ended = await this.#countEnded();
    const completed = ended.succeeded - this.#known.succeeded;
    const failed = ended.failed - this.#known.failed;
    this.#known = ended;
    const lost = Math.max(0, accepted - completed - failed);
    return { completedPerSecond: completed / seconds, errors: lost + failed };
  }

  /** Looks only at what is open, by its index: to count all runs every time would be most of what is measured. */
  async #whenEnded() {
    let open = await this.#countOpen();
    let changed = performance.now();
    while (open > 0 && performance.now() - changed < PATIENCE_MILLISECONDS) {
      await pause(POLL_MILLISECONDS);
      const now = await this.#countOpen();
      if (now !== open) changed = performance.now();
      open = now;
    }
    return performance.now();
  }

  async #countOpen() {
    const [{ open }] = await this.#system.query(
      'SELECT count(*)::int AS open FROM runs WHERE next_sweep_at IS NOT NULL',
    );
    return open;
  }

  async #countEnded() {
    const [row] = await this.#system.query(
      `SELECT count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
              count(*) FILTER (WHERE status NOT IN ('accepted', 'queued', 'running', 'succeeded'))::int AS failed
       FROM runs`,
    );
    return row;
  }
}
