import { setTimeout as pause } from 'node:timers/promises';
import { atLeast, atMost } from '../goals.mjs';
import { upload, webhookFlow } from '../flows.mjs';
import { httpSides } from '../load/http-sides.mjs';

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const POLL_MILLISECONDS = 50;
/** Open runs count as lost when no run has ended for this long. */
const WAIT_TIMEOUT_MILLISECONDS = 60_000;

/**
 * B3: durable 202s, directly at ingest and through the gateway, and the runs that they start.
 * @type {Scenario}
 */
export default {
  id: 'B3',
  title: 'Webhook → Parser → Chat Output, 64 connections',
  limit: 'Express, batched inserts, 202, a confirmed publish to a quorum queue',
  goal: 'accepts at least 0.7 of the limit at ingest and 0.5 through the gateway; loses none; completes at least 0.6 times as fast as it accepts',
  of: 'the limit',
  async open(benchEnvironment) {
    const database = await benchEnvironment.createDatabase();
    const bare = await benchEnvironment.startBare('accepted-webhooks.cjs', {
      environment: { DATABASE_URL: database.url, BENCH_QUEUE: await benchEnvironment.queueName() },
    });
    const system = await benchEnvironment.startSystem();
    const { endpoint } = await upload(system, webhookFlow('bench-webhook'));
    const path = `/api/v1/webhook/${endpoint}`;
    const body = { text: 'three pencils', customer: 'Ann' };
    const runs = new PromisedRuns(system);
    /** @param {string} url */
    const accepting = (url) => ({
      url: `${url}${path}`,
      headers: system.headers,
      body,
      expected: '"run_id"',
      settle: runs.settle.bind(runs),
    });
    return httpSides(
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
      atLeast('accepted at ingest compared with the limit', ingest.perSecond / limit.perSecond, 0.7),
      atLeast(
        'accepted through the gateway compared with the limit',
        gateway.perSecond / limit.perSecond,
        0.5,
      ),
      atLeast('completed compared with accepted', ingest.completedPerSecond / ingest.perSecond, 0.6),
      atMost('lost or refused', ingest.errors + gateway.errors, 0),
    ],
  }),
};

/** Waits for the runs of accepted webhooks, and counts those that are missing or did not succeed. */
class PromisedRuns {
  #system;
  /** Counts of ended runs so far; they can include runs without an answer when the load generator stopped. */
  #known = { succeeded: 0, failed: 0 };

  /** @param {BenchSystem} system */
  constructor(system) {
    this.#system = system;
  }

  /**
   * @param {number} accepted
   * @param {number} startedAt
   */
  async settle(accepted, startedAt) {
    const seconds = ((await this.#whenEnded()) - startedAt) / 1_000;
    const ended = await this.#countEnded();
    const completed = ended.succeeded - this.#known.succeeded;
    const failed = ended.failed - this.#known.failed;
    this.#known = ended;
    const lost = Math.max(0, accepted - completed - failed);
    return { completedPerSecond: completed / seconds, errors: lost + failed };
  }

  /** Waits until no run is open. Reads only open runs, by their index, because counting all runs would distort the figures. */
  async #whenEnded() {
    let open = await this.#countOpen();
    let changed = performance.now();
    while (open > 0 && performance.now() - changed < WAIT_TIMEOUT_MILLISECONDS) {
      await pause(POLL_MILLISECONDS);
      const now = await this.#countOpen();
      if (now !== open) changed = performance.now();
      open = now;
    }
    return performance.now();
  }

  /** @returns {Promise<number>} */
  async #countOpen() {
    /** @type {{ open: number }[]} */
    const [{ open }] = await this.#system.query(
      'SELECT count(*)::int AS open FROM runs WHERE next_sweep_at IS NOT NULL',
    );
    return open;
  }

  /** @returns {Promise<{ succeeded: number, failed: number }>} */
  async #countEnded() {
    /** @type {{ succeeded: number, failed: number }[]} */
    const [row] = await this.#system.query(
      `SELECT count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
              count(*) FILTER (WHERE status NOT IN ('accepted', 'queued', 'running', 'succeeded'))::int AS failed
       FROM runs`,
    );
    return row;
  }
}
