import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { atMost } from '../goals.mjs';
import { exampleFlow, upload, webhookFlow } from '../flows.mjs';
import { closedLoop } from '../load/closed-loop.mjs';

/** @import { ClosedLoad } from '../load/closed-loop.mjs' */
/** @typedef {Omit<ClosedLoad, 'connections'>} Load */
/** @typedef {'gateway' | 'ingest' | 'executor'} Service */

/** @import { Figures, Medians, Scenario, Side } from '../scenario.ts' */
/** @import { BenchEnvironment, BenchSystem } from '../bench-environment.mjs' */

const RUNS = 1_000_000;
const PARTS = 10;
const CONNECTIONS = 64;
const QUIET_MILLISECONDS = 1_000;
/** The allowed ratio of memory after all runs to memory after the first half. */
const GROWTH = 1.1;

const limits = { gateway: 150, ingest: 150, executor: 200 };

/**
 * B10: the memory of the services.
 * @type {Scenario}
 */
export default {
  id: 'B10',
  title: `memory idle and after ${RUNS.toLocaleString('en')} runs, half of them webhooks`,
  limit: 'the same processes before the first run',
  goal: 'gateway and ingest at most 150 MiB, executor at most 200 MiB, at most 1.1 times that after half of the runs',
  of: 'the idle memory',
  rounds: 1,
  isWarmedUp: false,
  async open(benchEnvironment) {
    const system = await benchEnvironment.startSystem();
    const { endpoint } = await upload(system, exampleFlow('echo', 'bench-echo'));
    const { endpoint: webhook } = await upload(system, webhookFlow('bench-webhook'));
    const { headers } = system;
    const loads = [
      {
        url: `${system.url}/api/v1/run/${endpoint}`,
        headers,
        body: { input_value: 'hello', session_id: 'bench' },
        expected: '"text":"hello"',
      },
      {
        url: `${system.url}/api/v1/webhook/${webhook}`,
        headers,
        body: { text: 'three pencils' },
        expected: 'run_id',
      },
    ];
    return {
      idle: async () => ({ ...mebibytes(system), errors: 0, requests: 0 }),
      millrace: () => afterRuns(system, loads, benchEnvironment.scaled(RUNS)),
    };
  },
  conclude: ({ idle, millrace }) => ({
    ratio: total(millrace) / total(idle),
    perSecond: millrace.perSecond,
    p50: millrace.p50,
    p99: millrace.p99,
    goals: Object.entries(limits).flatMap(([name, limit]) => [
      atMost(`${name} in MiB after ${millrace.requests} runs`, millrace[name], limit),
      atMost(`${name} compared with half of the runs`, millrace[name] / millrace[`${name}Halfway`], GROWTH),
    ]),
  }),
};

/**
 * @param {BenchSystem} system
 * @param {readonly Load[]} loads
 * @param {number} runs
 */
async function afterRuns(system, loads, runs) {
  /** @type {Record<Service, number>[]} */
  const samples = [];
  /** @type {{ errors: number, requests: number, problems?: string }} */
  const sums = { errors: 0, requests: 0 };
  const amount = Math.max(CONNECTIONS, Math.ceil(runs / PARTS / loads.length));
  const started = performance.now();
  let last = { p50: NaN, p99: NaN };
  for (let part = 0; part < PARTS; part += 1) {
    for (const load of loads) {
      const figures = await closedLoop({ ...load, connections: CONNECTIONS, amount });
      sums.errors += figures.errors;
      sums.requests += figures.requests;
      if (figures.problems !== undefined) sums.problems = figures.problems;
      if (load === loads[0]) last = figures;
    }
    await untilQuiet(system);
    samples.push(mebibytes(system));
  }
  const halfway = samples[PARTS / 2 - 1];
  return {
    ...samples.at(-1),
    ...Object.fromEntries(Object.entries(halfway).map(([name, value]) => [`${name}Halfway`, value])),
    perSecond: (sums.requests * 1_000) / (performance.now() - started),
    p50: last.p50,
    p99: last.p99,
    ...sums,
  };
}

/**
 * Waits until the runs of all webhooks have ended, and a second longer.
 * @param {BenchSystem} system
 */
async function untilQuiet(system) {
  const open = async () =>
    (await system.query('SELECT 1 FROM runs WHERE next_sweep_at IS NOT NULL LIMIT 1')).length;
  while ((await open()) > 0) await pause(QUIET_MILLISECONDS);
  await pause(QUIET_MILLISECONDS);
}

/**
 * Returns the resident memory in MiB of one process of each service.
 * @param {BenchSystem} system
 * @returns {Record<Service, number>}
 */
function mebibytes({ gateway, ingest, executors: [executor] }) {
  /** @param {{ readonly pid: number }} process */
  const of = ({ pid }) =>
    Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1_024;
  return { gateway: of(gateway), ingest: of(ingest), executor: of(executor) };
}

/** @param {Medians} sides */
function total({ gateway, ingest, executor }) {
  return gateway + ingest + executor;
}
