import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startPrometheus } from '@millrace/scaled-system';
import type { Prometheus } from '@millrace/scaled-system';
import { until } from '@millrace/service/testing';
import { Autoscaler, STEP_SECONDS, turnsOf } from '../deployment/chart/autoscaler';
import { renderValues, root } from '../deployment/chart/render';
import { scalingRuleOf } from '../deployment/chart/scaling-rule';
import type { ScalingRule } from '../deployment/chart/scaling-rule';
import { ExecutorProcesses } from './executor-processes';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

/** How many runs wait at the beginning; 100000 for the pool of the chart as it is. */
const RUNS = Number(process.env['TEST_BACKLOG_RUNS'] ?? 4_000);
/** The pool of `large.yaml` that can have no executor. With fewer runs it has fewer pods, so that it reaches the maximum. */
const POOL = 'batch';
const MAXIMUM_PODS = RUNS >= 100_000 ? 40 : 5;
/** As many processes as one machine has in place of the most pods. */
const PROCESSES = 3;
/** A step of the autoscaler, in which Prometheus scrapes once and ingest counts the backlog once. */
const STEP_MILLISECONDS = 1_000;
const SENDERS = 32;
/** Hours of the autoscaler's time. */
const MAXIMUM_STEPS = 3_000;

interface Step {
  readonly at: number;
  readonly runs: number | null;
  readonly pods: number;
  readonly processes: number;
}

let folder: string;
let rule: ScalingRule;
let system: TestSystem;
let prometheus: Prometheus;

beforeAll(async () => {
  const program = process.env['PROMETHEUS'];
  if (!program) throw new Error('PROMETHEUS is not set: npm test finds or installs the program');
  folder = mkdtempSync(join(tmpdir(), 'millrace-autoscaling-'));
  const values = join(folder, 'values.json');
  writeFileSync(
    values,
    JSON.stringify({
      executorPools: { [POOL]: { autoscaling: { maxReplicas: MAXIMUM_PODS } } },
      // There are no namespaces here.
      keda: { prometheus: { selector: 'job=~"millrace.*"' } },
    }),
  );
  rule = scalingRuleOf(renderValues([join(root, 'deploy/helm/values/large.yaml'), values]), POOL);
  system = await startTestSystem({
    pools: { default: 1, [POOL]: 0 },
    environment: { MILLRACE_POOLS: `default,${POOL}`, MILLRACE_BACKLOG_INTERVAL_SECONDS: '1' },
  });
  prometheus = await startPrometheus({ program, ports: portsWith([]) });
}, 180_000);

afterAll(async () => {
  await prometheus?.stop();
  await system?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}, 90_000);

function portsWith(executors: readonly number[]) {
  return {
    'millrace-gateway': [Number(system.gateway.ready['port'])],
    'millrace-ingest': [system.ingestPort],
    'millrace-executor': [...system.executors.map(({ ready }) => Number(ready['healthPort'])), ...executors],
  };
}

async function accept(endpoint: string): Promise<void> {
  let left = RUNS;
  const url = `http://127.0.0.1:${system.ingestPort}/api/v1/webhook/${endpoint}`;
  const send = async () => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(url, { method: 'POST', headers: system.headers, body: '{"text":"a"}' });
      await response.arrayBuffer();
      if (response.status !== 202) throw new Error(`a webhook was answered with ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
}

/** What KEDA gets for the query of the ScaledObject; null when a process was not scraped in time. */
async function scraped(): Promise<number | null> {
  const samples = await prometheus.query(rule.query);
  return samples[0] === undefined ? null : Number(samples[0].value[1]);
}

/** Decides once a second, as the autoscaler does every 15 s, and has processes for the pods, until no pod is left. */
async function scale(executors: ExecutorProcesses): Promise<Step[]> {
  const autoscaler = new Autoscaler(rule);
  const steps: Step[] = [];
  let pods = rule.minReplicas;
  for (let step = 0; step < MAXIMUM_STEPS; step += 1) {
    const nextAt = performance.now() + STEP_MILLISECONDS;
    const runs = await scraped();
    // An autoscaler keeps the pods while it has no value.
    if (runs !== null) pods = autoscaler.next(step * STEP_SECONDS, pods, runs);
    executors.want(Math.ceil((pods * PROCESSES) / rule.maxReplicas));
    prometheus.scrape(portsWith(executors.ports));
    steps.push({ at: step * STEP_SECONDS, runs, pods, processes: executors.running.length });
    if (runs === 0 && pods === 0) return steps;
    await pause(Math.max(0, nextAt - performance.now()));
  }
  throw new Error(`pods are left after ${MAXIMUM_STEPS} steps:\n${tableOf(steps.slice(-20))}`);
}

/** The steps in which the number of pods or of processes changed, and each twentieth. */
function tableOf(steps: readonly Step[]): string {
  const rows = steps
    .filter(
      (step, index) =>
        index % 20 === 0 ||
        step.pods !== steps[index - 1]?.pods ||
        step.processes !== steps[index - 1]?.processes,
    )
    .map(({ at, runs, pods, processes }) => [`${at} s`, runs ?? 'none', pods, processes]);
  return [['time', 'runs', 'pods', 'processes'], ...rows]
    .map((row) => row.map((cell) => String(cell).padStart(10)).join(''))
    .join('\n');
}

test('a backlog, as Prometheus scrapes it, starts all pods of the chart, and ends with none, with one turn', async () => {
  const { endpoint } = await system.upload('echo', (flow) => {
    flow.settings = { pool: POOL };
  });
  await accept(endpoint);
  await until(async () => (await scraped()) === RUNS, 'the scraped backlog', 120_000);
  const executors = new ExecutorProcesses(system, POOL);
  const steps = await scale(executors);
  await executors.settled();
  process.stdout.write(`autoscaling, ${RUNS} runs, ${rule.query}\n${tableOf(steps)}\n`);
  const pods = steps.map((step) => step.pods);
  expect(rule.pollingSeconds).toBe(STEP_SECONDS);
  expect(Math.max(...pods)).toBe(MAXIMUM_PODS);
  expect(turnsOf([rule.minReplicas, ...pods])).toBe(1);
  expect(executors.running).toEqual([]);
  const { rows } = await system.database.query<{ status: string; runs: number }>(
    'SELECT status, count(*)::int AS runs FROM runs GROUP BY status',
  );
  expect(rows).toEqual([{ status: 'succeeded', runs: RUNS }]);
}, 1_800_000);
