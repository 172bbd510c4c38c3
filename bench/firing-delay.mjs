// `node tools/node/run.cjs bench/firing-delay.mjs`: fires schedules while ingest accepts webhooks as fast as in B3, and prints
// how late the occurrences were stored, idle and under the load.
import '../tools/workspace/require-node-version.mjs';
import '../tools/workspace/print-uncaught-errors.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { readCommandLine } from '../libs/service/src/options/command-line.cjs';
import { wholeNumber } from '../libs/service/src/options/number-text.cjs';
import { prepareWorkspace } from '../tools/workspace/prepare-workspace.mjs';
import { servicesOption } from '../tools/services/acquire-services.mjs';
import { BenchEnvironment } from './bench-environment.mjs';
import { exampleFlow, upload, webhookFlow } from './flows.mjs';
import { closedLoop } from './load/closed-loop.mjs';

/** @import { BenchSystem } from './bench-environment.mjs' */

const usage = `node tools/node/run.cjs bench/firing-delay.mjs [options]
  --schedules <n>    100; each fires every 5 seconds
  --seconds <n>      how long they fire without load, and then with it; 20
  --connections <n>  of the load; 64, as in B3
  --services <ways>  where to get the servers: env, local, private, compose, apt (comma separated)
  --built            skips the build
  --help`;
const { values: flags } = readCommandLine({
  usage,
  options: {
    schedules: { type: 'string', default: '100', parse: wholeNumber({ minimum: 1 }) },
    seconds: { type: 'string', default: '20', parse: wholeNumber({ minimum: 5 }) },
    connections: { type: 'string', default: '64', parse: wholeNumber({ minimum: 1 }) },
    services: servicesOption,
    built: { type: 'boolean' },
  },
});
/** By the database's clock, which also decides what is due. */
const DELAYS = `SELECT count(*)::int AS fired, percentile_cont(ARRAY[0.5, 0.99, 1]) WITHIN GROUP (ORDER BY late) AS late
  FROM (SELECT extract(epoch FROM created_at - (payload::json ->> 'scheduled_for')::timestamptz) * 1000 AS late
    FROM trigger_events WHERE created_at >= $1 AND created_at < $2) AS events`;

prepareWorkspace({ build: !flags.built });
const benchEnvironment = new BenchEnvironment({ services: flags.services, seconds: flags.seconds });
try {
  const system = await benchEnvironment.startSystem({ pools: { default: 1 } });
  await createSchedules(system);
  await pause(5_000);
  await report(system, 'without load', () => pause(flags.seconds * 1_000));
  const { endpoint } = await upload(system, webhookFlow('load'));
  await report(system, 'under load', async () => {
    const { perSecond, errors } = await closedLoop({
      url: `http://127.0.0.1:${system.ingestPort}/api/v1/webhook/${endpoint}`,
      headers: system.headers,
      body: { text: 'three pencils' },
      expected: 'run_id',
      ...{ connections: flags.connections, seconds: flags.seconds },
    });
    console.log(`accepted ${Math.round(perSecond)} webhooks/s, ${errors} errors`);
  });
} finally {
  await benchEnvironment.close();
}

/** @param {BenchSystem} system */
async function createSchedules(system) {
  const { id } = await upload(system, exampleFlow('echo', 'scheduled'));
  const config = { every_seconds: 5, catchup_policy: 'all', catchup_limit: 1_000, overlap_policy: 'allow' };
  for (let number = 0; number < flags.schedules; number += 1) {
    const response = await fetch(`${system.url}/api/v1/triggers`, {
      method: 'POST',
      headers: { ...system.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        flow_id: id,
        name: `schedule ${number}`,
        kind: 'schedule',
        state: 'active',
        config,
      }),
    });
    if (response.status !== 201) throw new Error(`a schedule was refused: ${await response.text()}`);
  }
}

/**
 * Prints the delays of the occurrences that fire during some work.
 * @param {BenchSystem} system
 * @param {string} what
 * @param {() => Promise<unknown>} work
 */
async function report(system, what, work) {
  const now = async () => {
    const [row] = /** @type {{ now: string }[]} */ (await system.query('SELECT now()::text AS now'));
    return row?.now;
  };
  const from = await now();
  await work();
  const rows = await system.query(DELAYS, [from, await now()]);
  const [{ fired, late } = { fired: 0, late: null }] =
    /** @type {{ fired: number, late: number[] | null }[]} */ (rows);
  const [p50, p99, most] = (late ?? []).map(Math.round);
  console.log(`${what}: ${fired} occurrences, late by p50 ${p50} ms, p99 ${p99} ms, at most ${most} ms`);
}
