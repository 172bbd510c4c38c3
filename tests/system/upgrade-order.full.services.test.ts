import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@millrace/service/testing';
import { flowData, freePort, node } from '@millrace/testing';
import { makeNextRelease, NEXT_JOB_VERSION, REMOVED_TYPE } from './next-release';
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

/** Starts a run that waits for a person; with `hasRemoved` its flow has a component that the next release lacks. */
async function suspendedRun(
  hasRemoved: boolean,
): Promise<{ readonly id: string; readonly requestId: string }> {
  const data = flowData(
    [
      node('ChatInput-i', { input_value: '' }, 'message'),
      node('HumanInput-h', { prompt: '' }, 'branch_approve', 'branch_reject'),
      node(`${REMOVED_TYPE}-n`, { input_message: '' }, 'output_message'),
      node('ChatOutput-z', { input_value: '' }, 'message'),
    ],
    [
      'ChatInput-i.message > HumanInput-h.prompt',
      ...(hasRemoved
        ? [
            `HumanInput-h.branch_approve > ${REMOVED_TYPE}-n.input_message`,
            `${REMOVED_TYPE}-n.output_message > ChatOutput-z.input_value`,
          ]
        : ['HumanInput-h.branch_approve > ChatOutput-z.input_value']),
    ],
  );
  const created = await system.post('/api/v1/flows/', { name: `asks ${hasRemoved}`, data });
  const { id: flow_id } = (await created.json()) as { id: string };
  const answer = await system.post('/api/v2/workflows', { flow_id, input_value: 'ship it?' });
  const job = (await answer.json()) as { job_id: string; human_request: { request_id: string } };
  return { id: job.job_id, requestId: job.human_request.request_id };
}

/** Answers at a port; resolves to the run when it has ended. */
async function continued(port: number, waiting: { readonly id: string; readonly requestId: string }) {
  const url = `http://127.0.0.1:${port}`;
  const body = JSON.stringify({ request_id: waiting.requestId, decision: { action_id: 'approve' } });
  const path = `${url}/api/v2/workflows/${waiting.id}/resume`;
  const resumed = await fetch(path, { method: 'POST', headers: system.headers, body });
  expect(resumed.status).toBe(200);
  const read = async () => {
    const answer = await fetch(`${url}/api/v1/runs/${waiting.id}`, { headers: system.headers });
    return (await answer.json()) as { status: string; finished_at: string | null };
  };
  await until(async () => (await read()).finished_at !== null, 'the run did not end', 60_000);
  return read();
}

test('new gateways and ingest services are not ready until migrations have run and all executors read their jobs', async () => {
  const { endpoint } = await system.upload('echo');
  const waiting = await suspendedRun(false);
  const removed = await suspendedRun(true);
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

  // A run goes on in the release after that in which it was suspended, and ends where its flow cannot run there.
  expect(await continued(gatewayPort, waiting)).toMatchObject({ status: 'succeeded', attempt: 2 });
  const reason = expect.stringContaining(REMOVED_TYPE) as string;
  expect(await continued(gatewayPort, removed)).toMatchObject({
    status: 'failed',
    error: { code: 'flow_refused', message: reason },
  });
}, 240_000);
