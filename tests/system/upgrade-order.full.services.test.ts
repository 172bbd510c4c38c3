import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@millrace/service/testing';
import { freePort } from '@millrace/testing';
import { makeNextRelease, NEXT_JOB_VERSION } from './next-release';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let next: ReturnType<typeof makeNextRelease>;
let system: TestSystem;

beforeAll(async () => {
  next = makeNextRelease();
  system = await startTestSystem({ pools: { default: 1 } });
}, 120_000);

afterAll(async () => {
  await system?.stop();
  next?.remove();
}, 60_000);

interface Readiness {
  readonly status: number;
  readonly executors: string | undefined;
}

/** What a probe of the port gets; null while nothing listens. */
async function readinessOf(port: number): Promise<Readiness | null> {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
  if (response === null) return null;
  const { checks } = (await response.json()) as { checks: { executors?: { error?: string } } };
  return { status: response.status, executors: checks.executors?.error };
}

/** Resolves when the process waits for these executors. It must not be ready before. */
async function refusal(port: number, executors: string): Promise<void> {
  const reason = new RegExp(
    `^${executors} executors do not read jobs of version ${NEXT_JOB_VERSION}, .*; deploy executors first$`,
  );
  await until(
    async () => {
      const readiness = await readinessOf(port);
      expect([port, readiness?.status]).toEqual([port, 503]);
      return reason.test(readiness?.executors ?? '');
    },
    `a process that waits for ${executors} executors`,
    60_000,
  );
}

async function run(port: number, endpoint: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/run/${endpoint}`, {
    method: 'POST',
    headers: system.headers,
    body: '{"input_value":"hello"}',
  });
  await response.arrayBuffer();
  return response.status;
}

/** As the role `migrate` of the next release. */
async function migrate(): Promise<void> {
  const { database, host, port, user } = system.database;
  await promisify(execFile)(process.execPath, [join(next.bundles, 'gateway', 'main.cjs')], {
    env: {
      ...process.env,
      DATABASE_URL: `postgres://${user}:${system.database.password ?? ''}@${host}:${port}/${database}`,
      MILLRACE_MIGRATE: 'only',
    },
  });
}

test('new gateways and ingest services are not ready until migrations have run and all executors read their jobs', async () => {
  const { endpoint } = await system.upload('echo');
  const oldPort = Number(system.gateway.ready['port']);
  const [gatewayPort, ingestPort] = [await freePort(), await freePort()];
  const ports = [gatewayPort, ingestPort];
  const { bundles } = next;
  const starting = Promise.all([
    system.startService({
      app: 'ingest',
      name: 'ingest-next',
      bundles,
      environment: { MILLRACE_INGEST_PORT: String(ingestPort) },
    }),
    system.startService({
      app: 'gateway',
      name: 'gateway-next',
      bundles,
      environment: {
        PORT: String(gatewayPort),
        INGEST_URL: `http://127.0.0.1:${ingestPort}`,
        MILLRACE_MIGRATE: 'off',
      },
    }),
  ]);
  const areWaiting = () =>
    ['ingest-next', 'gateway-next'].every((name) =>
      system.lines.some((line) => line.startsWith(name) && line.includes('the start waits')),
    );
  await until(areWaiting, 'services that wait for the migration', 60_000);
  expect(await Promise.all(ports.map(readinessOf))).toEqual([null, null]);
  expect(await run(oldPort, endpoint)).toBe(200);

  await migrate();
  await starting;
  await Promise.all(ports.map((port) => refusal(port, '1 of 1')));
  // On a busy machine, a check of the old gateway can take longer than its deadline.
  const isReady = async () => (await readinessOf(oldPort))?.status === 200;
  await until(isReady, 'the old gateway, which stays ready', 60_000);

  await system.startService({ app: 'executor', name: 'executor-next', bundles });
  await Promise.all(ports.map((port) => refusal(port, '1 of 2')));
  expect(await run(oldPort, endpoint)).toBe(200);

  await system.executors[0]?.stop();
  for (const port of ports)
    await until(async () => (await readinessOf(port))?.status === 200, `the process at ${port}`, 60_000);
  // The new executor reads the jobs of both releases.
  expect([await run(gatewayPort, endpoint), await run(oldPort, endpoint)]).toEqual([200, 200]);
}, 240_000);
