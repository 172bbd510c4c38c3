import { until, untilSuccess } from '@millrace/service/testing';
import { AGENT_TREE, agentTree, callersTrace, isOfRun, TOOL_QUESTION } from './agent-trace';
import { startOtlpReceiver, telemetryEnvironment, treeOf } from './otlp-receiver';
import type { OtlpReceiver } from './otlp-receiver';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let receiver: OtlpReceiver;
let system: TestSystem;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  system = await startTestSystem({
    pools: { default: 2 },
    environment: { ...telemetryEnvironment(receiver.url), LOG_LEVEL: 'info', MILLRACE_MAXIMUM_ATTEMPTS: '2' },
  });
}, 120_000);

afterAll(async () => {
  await system?.stop();
  await receiver?.close();
}, 60_000);

function ask(endpoint: string, input_value: string, traceparent: string): Promise<Response> {
  const headers = { ...system.headers, traceparent };
  return system.post(`/api/v1/run/${endpoint}`, { input_value, session_id: endpoint }, { headers });
}

test('a run is one tree across gateway, broker, executor and model', async () => {
  const { endpoint } = await system.upload('agent-with-tools');
  const { traceId, traceparent } = callersTrace();
  const response = await ask(endpoint, TOOL_QUESTION, traceparent);
  expect(response.status).toBe(200);
  expect(response.headers.get('traceparent')).toContain(traceId);
  expect(await agentTree(receiver, traceId)).toEqual(AGENT_TREE);
  const spans = await receiver.whenTraced(traceId, [/publish/, /process/, /^pg\.query/]);
  expect(new Set(spans.map(({ service }) => service))).toEqual(
    new Set(['millrace-gateway', 'millrace-executor']),
  );
  // Prompts and answers are recorded only on request.
  expect(JSON.stringify(spans)).not.toContain('What is 6 * 7?');
}, 60_000);

test('the steps of a run whose executor was killed are one tree', async () => {
  const { endpoint } = await system.upload('agent-with-tools');
  const { traceId, traceparent } = callersTrace();
  // The call of the first attempt alone, so that its executor is busy until it is killed.
  const question = `[[hang times=1 id=killed]] ${TOOL_QUESTION}`;
  const waiting = ask(endpoint, question, traceparent);
  await until(() => system.model.counts.active > 0, 'a call of the model', 30_000);
  const victim = await busyExecutor();
  victim.kill();
  await victim.exited;
  const response = await waiting;
  expect(response.status).toBe(200);
  await receiver.whenTraced(traceId, [/^invoke_workflow/, /^execute_tool/]);
  // Complete below the span of the request, when all processes have sent theirs.
  const tree = () => treeOf(receiver.spansOf(traceId), isOfRun);
  await until(
    () => tree()[0] === 'POST /api/v1/run/:flow' && tree().includes('    vertex Agent'),
    'one tree',
  );
  // Calls of servers in the vertex that was running have a parent that is lost.
  const steps = () => receiver.spansOf(traceId).filter(isOfRun);
  const roots = () => {
    const ids = new Set(receiver.spansOf(traceId).map(({ spanId }) => spanId));
    return steps().filter(({ parentSpanId }) => !ids.has(parentSpanId));
  };
  await until(() => roots().length === 1, 'the parents of all steps', 30_000);
  expect(roots().map(({ name }) => name)).toEqual(['POST /api/v1/run/:flow']);
  const spans = steps();
  const runs = spans.filter(({ name }) => name.startsWith('invoke_workflow'));
  const attempts = runs.map(({ attributes, failed, message }) => [
    attributes['millrace.run.attempt'],
    attributes['millrace.run.status'],
    failed,
    message,
  ]);
  expect(attempts.sort()).toEqual([
    [1, 'executor_lost', true, 'The executor of the attempt was lost.'],
    [2, 'succeeded', false, ''],
  ]);
  // The executor had sent the wait and the first vertex before it was killed.
  const lost = runs.find(({ failed }) => failed);
  expect(spans.filter(({ parentSpanId }) => parentSpanId === lost?.spanId)).not.toEqual([]);
  expect(spans.map(({ name }) => name)).toContain('queue');
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  system.executors.push(await system.startExecutor());
}, 90_000);

test('the steps of a last attempt, in a process of its own, are below the span of the run', async () => {
  const { endpoint } = await system.upload('agent-with-tools');
  const { traceId, traceparent } = callersTrace();
  const accepted = await system.post(
    `/api/v1/run/${endpoint}`,
    { input_value: `[[hang times=1 id=isolated]] ${TOOL_QUESTION}` },
    { headers: { ...system.headers, traceparent, prefer: 'respond-async' } },
  );
  expect(accepted.status).toBe(202);
  await until(() => system.model.counts.active > 0, 'a call of the model', 30_000);
  const victim = await busyExecutor();
  victim.kill();
  await victim.exited;
  const started = await system.startExecutor();
  system.executors.splice(system.executors.indexOf(victim), 1, started);
  const runId = accepted.headers.get('x-run-id') ?? '';
  const hasEnded = async () =>
    (await system.getJson<{ status: string }>(`/api/v1/runs/${runId}`)).status === 'succeeded';
  await until(hasEnded, 'the end of the run', 90_000);

  const isOfLast = (name: RegExp) =>
    receiver.spansOf(traceId).find((span) => name.test(span.name) && ids().has(span.parentSpanId));
  const ids = () => new Set(receiver.spansOf(traceId).map(({ spanId }) => spanId));
  await until(
    () => isOfLast(/^vertex Agent/) !== undefined && isOfLast(/^execute_tool/) !== undefined,
    'steps',
  );
  const attempts = receiver.spansOf(traceId).filter(({ name }) => name.startsWith('invoke_workflow'));
  const run = attempts.find(({ attributes }) => attributes['millrace.run.attempt'] === 2);
  expect(run?.attributes).toMatchObject({ 'millrace.run.status': 'succeeded' });
  const agent = isOfLast(/^vertex Agent/);
  expect(agent?.parentSpanId).toBe(run?.spanId);
  expect(isOfLast(/^execute_tool/)?.parentSpanId).toBe(agent?.spanId);
  const instances = [run, agent].map((span) => span?.resource['service.instance.id']);
  expect(instances).toEqual([expect.any(String), expect.any(String)]);
  expect(instances[0]).not.toBe(instances[1]);
}, 180_000);

test('runs that are released from a backlog stay in the traces of their requests', async () => {
  const { endpoint } = await system.upload('order-webhook', (flow) => (flow.settings = { concurrency: 1 }));
  const callers = Array.from({ length: 4 }, () => callersTrace());
  for (const { traceparent } of callers) {
    const headers = { ...system.headers, traceparent };
    const response = await system.post(`/api/v1/webhook/${endpoint}`, { value: 1 }, { headers });
    expect(response.status).toBe(202);
    expect(response.headers.get('traceparent')).toContain(traceparent.split('-')[1]);
  }
  for (const { traceId } of callers) {
    const spans = await receiver.whenTraced(traceId, [/process/, /^invoke_workflow /, 'queue']);
    expect(spans.map(({ service }) => service)).toContain('millrace-ingest');
  }
}, 90_000);

test('each service pushes metrics with its name', async () => {
  for (const service of ['millrace-gateway', 'millrace-ingest', 'millrace-executor']) {
    await until(() => (receiver.metrics.get(service)?.size ?? 0) > 0, `metrics of ${service}`);
  }
});

/** Resolves to the executor with an attempt in flight, when there is one. */
async function busyExecutor(): Promise<TestSystem['executors'][number]> {
  return untilSuccess(findBusyExecutor);
}

async function findBusyExecutor(): Promise<TestSystem['executors'][number]> {
  for (const executor of system.executors) {
    const address = `http://127.0.0.1:${String(executor.ready['healthPort'])}/metrics`;
    const metrics = await (await fetch(address)).text();
    if (/^millrace_executor_runs_in_hand(?:\{[^}]*\})? [1-9]/m.test(metrics)) return executor;
  }
  throw new Error('no executor has an attempt in flight');
}
