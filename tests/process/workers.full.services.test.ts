import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@millrace/service/testing';
import type { ServiceProcess } from '@millrace/scaled-system';
import { forAllTests } from '@millrace/testing';
import { startTestSystem } from '../system/test-system';

const ENTRYPOINT = join(__dirname, '..', '..', 'deploy', 'entrypoint.mjs');
const WORKERS = 2;
const RUNS = 60;

const system = forAllTests(() => startTestSystem({ environment: { MILLRACE_WORKERS: String(WORKERS) } }));
beforeAll(async () => {
  for (const service of [system.gateway, system.ingest, ...system.executors]) await allReady(service);
}, 120_000);

/** The log lines of ready gateways and executors name the port of their metrics. */
function metricsOf(service: ServiceProcess): Promise<string> {
  const port =
    service === system.ingest ? system.ingestPort : (service.ready['healthPort'] ?? service.ready['port']);
  return fetch(`http://127.0.0.1:${String(port)}/metrics`).then((answer) => answer.text());
}

function allReady(service: ServiceProcess): Promise<void> {
  const line = `millrace_workers{worker="supervisor",state="ready"} ${WORKERS}`;
  return until(async () => (await metricsOf(service)).includes(line), `the workers of ${service.name}`);
}

function workerPids({ pid }: ServiceProcess): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

/** Resolves to the statuses of this number of runs, six at a time, each on a new connection. */
async function statuses(endpoint: string, runs = RUNS): Promise<number[]> {
  const found: number[] = [];
  const ask = async () => {
    while (found.length < runs) {
      const index = found.push(0) - 1;
      const headers = { ...system.headers, connection: 'close' };
      const answer = await system.post(`/api/v1/run/${endpoint}`, { input_value: 'hello' }, { headers });
      await answer.text();
      found[index] = answer.status;
    }
  };
  await Promise.all(Array.from({ length: 6 }, ask));
  return found;
}

test('runs and webhooks succeed; each worker process has its own connections, and metrics cover all of them', async () => {
  const { endpoint } = await system.upload('echo');
  expect(await statuses(endpoint)).toEqual(Array(RUNS).fill(200));
  for (let count = 0; count < 10; count += 1)
    expect((await system.post(`/api/v1/webhook/${endpoint}`, { count })).status).toBe(202);
  const text = await metricsOf(system.executors[0] ?? system.gateway);
  const counts = [...text.matchAll(/^millrace_bus_connected\{worker="(\d)"[^}]*\} 1$/gm)];
  expect(new Set(counts.map(([, worker]) => worker))).toEqual(new Set(['1', '2']));
}, 60_000);

test.each(['gateway', 'executor'])(
  'the entry point of images and units starts the worker processes of its role: %s',
  async (role) => {
    const service = await system.startService({
      app: role,
      program: [ENTRYPOINT, role],
      environment: {
        PORT: '0',
        INGEST_URL: `http://127.0.0.1:${system.ingestPort}`,
        MILLRACE_WORKERS: String(WORKERS),
      },
    });
    await allReady(service);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
  60_000,
);

test('no caller is affected when a worker process of an executor is killed', async () => {
  const { endpoint } = await system.upload('echo');
  const [executor] = system.executors;
  if (executor === undefined) throw new Error('no executor');
  const running = statuses(endpoint, 300);
  await pause(100);
  const [victim] = workerPids(executor);
  if (victim !== undefined) process.kill(victim, 'SIGKILL');
  expect(await running).toEqual(Array(300).fill(200));
  await allReady(executor);
  expect(await metricsOf(executor)).toContain('millrace_worker_restarts_total{worker="supervisor"} 1');
}, 60_000);

test('callers are answered after a worker process of the gateway was killed', async () => {
  const { endpoint } = await system.upload('echo');
  const [victim] = workerPids(system.gateway);
  if (victim !== undefined) process.kill(victim, 'SIGKILL');
  for (let tries = 0; workerPids(system.gateway).includes(victim ?? 0); tries += 1) {
    if (tries === 100) throw new Error('the worker process did not exit');
    await pause(20);
  }
  expect(await statuses(endpoint)).toEqual(Array(RUNS).fill(200));
  await allReady(system.gateway);
  expect(await statuses(endpoint)).toEqual(Array(RUNS).fill(200));
}, 60_000);

test('each service completes its in-flight runs and exits with 0 on SIGTERM', async () => {
  const { endpoint } = await system.upload('chat');
  const body = { input_value: '[[delay=1500 reply="done"]]' };
  const answers = Array.from({ length: 4 }, () => system.post(`/api/v1/run/${endpoint}`, body));
  await pause(500);
  const ends = [system.gateway, ...system.executors].map((service) => service.stop());
  for (const answer of await Promise.all(answers))
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('done')]);
  expect((await Promise.all(ends)).map(({ code }) => code)).toEqual([0, 0]);
  expect((await system.ingest.stop()).code).toBe(0);
}, 60_000);
