import { setTimeout as pause } from 'node:timers/promises';
import { exampleFlow, upload } from '../flows.mjs';
import { openLoop } from '../load/open-loop.mjs';
import { quantile } from '../rounds.mjs';
import { addUser } from '../users.mjs';
import { floodOrders } from './flood-orders.mjs';
import { startFlood } from './start-flood.mjs';

/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */
/** @import { Account } from '../flows.mjs' */
/** @import { FloodOrder } from './flood.cjs' */

/** @typedef {Account & { readonly id: string, readonly endpoint: string }} Tenant */
/** @typedef {{ readonly p50: number, readonly p99: number, readonly errors: number }} Delays */

/** What holds the flooding tenant in the second measurement of each form. */
const LIMITS = {
  requests_per_second: 20,
  concurrent_runs: 4,
  waiting_runs: 20,
  file_bytes_per_day: 50_000_000,
};
const ESTABLISHING_MILLISECONDS = 1_000;
const WARM_UP_SECONDS = 5;
const DRAINED_WITHIN_MILLISECONDS = 120_000;
/** What another tenant may wait at most, in milliseconds. */
const bound = (/** @type {Delays} */ alone) => 3 * alone.p99 + 10;

/**
 * Measures the runs of one tenant while another floods, in each form: alone, beside the flood, and beside the flood with
 * limits.
 * @param {BenchEnvironment} benchEnvironment
 * @param {{ readonly forms: readonly string[], readonly seconds: number, readonly rate: number, readonly processors: number }} options
 */
export async function measureFloods(benchEnvironment, { forms, seconds, rate, processors }) {
  const system = await benchEnvironment.startSystem({ pools: { default: 1 } });
  const [flooding, other] = [await addTenant(system, 'flooding'), await addTenant(system, 'other')];
  const setLimits = (/** @type {object} */ limits) => putLimits(system, flooding, limits);
  await measureOther(system, other, { rate, seconds: WARM_UP_SECONDS });
  console.log(`the other tenant: ${rate} runs with a caller and ${rate} webhooks a second`);
  console.log(
    row([
      'flood',
      'held by',
      'run p50',
      'p99',
      'webhook p50',
      'p99',
      'at most 3 × alone + 10',
      'flood, by status',
    ]),
  );
  for (const form of forms) {
    const alone = await measureOther(system, other, { rate, seconds });
    console.log(row([form, '(alone)', ...delays(alone), '', '']));
    // Requests with unknown keys are of no tenant, whose limits could hold them.
    for (const heldBy of form === 'bad-keys' ? ['fairness'] : ['fairness', 'limits']) {
      await setLimits(heldBy === 'limits' ? LIMITS : {});
      const order = await floodOrders(system, flooding, form);
      /** @type {FloodOrder} */
      const whole = { ...order, seconds: seconds + ESTABLISHING_MILLISECONDS / 1_000 };
      const { how, statuses } = startFlood(whole, processors);
      await pause(ESTABLISHING_MILLISECONDS);
      const beside = await measureOther(system, other, { rate, seconds });
      const counts = Object.entries(await statuses).map(([status, count]) => `${status}: ${count}`);
      const isHeld = beside.runs.p99 <= bound(alone.runs) && beside.webhooks.p99 <= bound(alone.webhooks);
      console.log(
        row([form, heldBy, ...delays(beside), isHeld ? 'held' : 'missed', `${counts.join(', ')} (${how})`]),
      );
      await drained(system, flooding);
    }
  }
}

/** @param {{ readonly runs: Delays, readonly webhooks: Delays }} measured */
function delays({ runs, webhooks }) {
  const errors = runs.errors + webhooks.errors;
  return [runs.p50, runs.p99, webhooks.p50, `${webhooks.p99}${errors === 0 ? '' : ` (${errors} errors)`}`];
}

/** @param {readonly (string | number)[]} cells */
function row(cells) {
  return `| ${cells.join(' | ')} |`;
}

/**
 * @param {BenchSystem} system
 * @param {string} name
 * @returns {Promise<Tenant>}
 */
async function addTenant(system, name) {
  const user = await addUser(system, name);
  const { endpoint } = await upload(user, exampleFlow('echo', `bench-${name}`));
  return { ...user, endpoint };
}

/**
 * Resolves to how long callers waited for their answer, and webhooks from their acceptance to the end of their run.
 * @param {BenchSystem} system
 * @param {Tenant} tenant
 * @param {{ readonly rate: number, readonly seconds: number }} load
 * @returns {Promise<{ readonly runs: Delays, readonly webhooks: Delays }>}
 */
async function measureOther(system, tenant, { rate, seconds }) {
  const { headers, endpoint } = tenant;
  const [{ now }] = /** @type {[{ now: Date }]} */ (await system.query('SELECT now() AS now'));
  const load = { headers, body: { input_value: 'hello' }, perSecond: rate, seconds };
  const [runs, accepted] = await Promise.all([
    openLoop({ ...load, url: `${system.url}/api/v1/run/${endpoint}` }),
    openLoop({ ...load, url: `http://127.0.0.1:${system.ingestPort}/api/v1/webhook/${endpoint}` }),
  ]);
  await drained(system, tenant);
  /** @type {{ waited: number }[]} */
  const rows = await system.query(
    `SELECT extract(epoch FROM finished_at - accepted_at)::float8 * 1000 AS waited FROM runs
     WHERE user_id = $1 AND accepted_at >= $2 AND lane = 'background' AND status = 'succeeded' ORDER BY waited`,
    [tenant.id, now],
  );
  const waited = rows.map((one) => one.waited);
  const webhooks = {
    p50: quantile(waited, 0.5),
    p99: quantile(waited, 0.99),
    errors: accepted.requests - waited.length,
  };
  return { runs, webhooks };
}

/**
 * @param {BenchSystem} system
 * @param {Tenant} tenant
 */
async function drained(system, { id }) {
  const giveUpAt = performance.now() + DRAINED_WITHIN_MILLISECONDS;
  for (;;) {
    const [{ count }] = /** @type {[{ count: number }]} */ (
      await system.query(
        "SELECT count(*)::int AS count FROM runs WHERE user_id = $1 AND status IN ('accepted', 'queued', 'running')",
        [id],
      )
    );
    if (count === 0) return;
    if (performance.now() > giveUpAt) throw new Error(`${count} runs did not end`);
    await pause(100);
  }
}

/**
 * @param {BenchSystem} system
 * @param {Tenant} tenant
 * @param {object} limits
 */
async function putLimits(system, { id }, limits) {
  const { status } = await fetch(`${system.url}/api/v1/limits/users/${id}`, {
    method: 'PUT',
    headers: { ...system.headers, 'content-type': 'application/json' },
    body: JSON.stringify(limits),
  });
  if (status !== 200) throw new Error(`the limits were answered with ${status}`);
}
