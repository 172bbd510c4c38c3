import { fixedLimits } from '@millrace/service';
import { until, untilSuccess } from '@millrace/service/testing';
import { AGENT_TREE, agentTree, callersTrace, isOfRun, TOOL_QUESTION } from './agent-trace';
import { startOtlpReceiver, telemetryEnvironment, treeOf } from './otlp-receiver';
import type { OtlpReceiver, ReceivedSpan } from './otlp-receiver';
import { childrenOf } from './python-executors.fixture';
import { startTestSystem } from './test-system';
import type { TestSystem } from './test-system';

let receiver: OtlpReceiver;
let system: TestSystem;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  system = await startTestSystem({
    pools: { default: 2 },
    environment: { ...telemetryEnvironment(receiver.url), LOG_LEVEL: 'info' },
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
  // The executor is killed during the second call of the model, after it has exported a call of the model and of the tool.
  const waiting = ask(endpoint, `[[delay=2500]] ${TOOL_QUESTION}`, traceparent);
  await receiver.whenTraced(traceId, [/^chat/, /^execute_tool/]);
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
  await until(() => rootsOf(traceId).length === 1, 'the parents of all spans', 30_000).catch(() => undefined);
  expect(rootsOf(traceId)).toEqual(['millrace-gateway POST /api/v1/run/:flow']);
  const spans = receiver.spansOf(traceId);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  const attempts = spans.filter(({ name }) => name.startsWith('invoke_workflow'));
  const described = attempts.map(({ attributes, failed, message }) => [
    attributes['millrace.run.attempt'],
    attributes['millrace.run.status'],
    failed,
    message,
  ]);
  expect(described.sort()).toEqual([
    [1, 'executor_lost', true, 'The executor of the attempt was lost.'],
    [2, 'succeeded', false, ''],
  ]);
  const below = (parent: ReceivedSpan | undefined) =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
  const [lost, next] = [1, 2].map((number) =>
    attempts.find(({ attributes }) => attributes['millrace.run.attempt'] === number),
  );
  // The vertex that was running, and what it had finished.
  const agent = below(lost).find(({ name }) => name === 'vertex Agent');
  expect(agent).toMatchObject({ failed: true, attributes: { 'error.type': 'executor_lost' } });
  const finished = below(agent).map(({ name }) => name);
  expect(finished).toEqual(expect.arrayContaining(['chat gpt-4o-mini', 'execute_tool evaluate_expression']));
  expect(below(next).find(({ name }) => name === 'vertex Agent')).toMatchObject({ failed: false });
  await replace(victim);
}, 90_000);

test('a run whose processes were killed in each attempt is one tree when it is given up', async () => {
  const { endpoint } = await system.upload('agent-with-tools');
  const { traceId, traceparent } = callersTrace();
  const accepted = await system.post(
    `/api/v1/run/${endpoint}`,
    { input_value: `[[delay=60000]] ${TOOL_QUESTION}` },
    { headers: { ...system.headers, traceparent, prefer: 'respond-async' } },
  );
  expect(accepted.status).toBe(202);
  await loseExecutors();
  await until(() => system.model.counts.active > 0, 'a call of the model', 90_000);
  // The last attempt counts when its own process ends.
  for (const pid of childrenOf((await busyExecutor()).pid)) process.kill(pid, 'SIGKILL');
  const runId = accepted.headers.get('x-run-id') ?? '';
  const isDead = async () =>
    (await system.getJson<{ status: string }>(`/api/v1/runs/${runId}`)).status === 'dead';
  await until(isDead, 'the end of the run', 90_000);
  const attempts = () => receiver.spansOf(traceId).filter(({ name }) => name.startsWith('invoke_workflow'));
  await until(() => attempts().length === fixedLimits.runAttempts, 'the spans of all attempts', 30_000).catch(
    () => undefined,
  );
  await until(() => rootsOf(traceId).length === 1, 'the parents of all spans', 30_000).catch(() => undefined);
  expect(rootsOf(traceId)).toEqual(['millrace-gateway POST /api/v1/run/:flow']);
  const described = attempts().map(({ attributes }) => [
    attributes['millrace.run.attempt'],
    attributes['millrace.run.status'],
  ]);
  expect(described.sort()).toEqual([
    [1, 'executor_lost'],
    [2, 'executor_lost'],
    [3, 'dead'],
  ]);
}, 300_000);

test('the steps of a last attempt, in a process of its own, are below the span of the run', async () => {
  const { endpoint } = await system.upload('agent-with-tools');
  const { traceId, traceparent } = callersTrace();
  const accepted = await system.post(
    `/api/v1/run/${endpoint}`,
    { input_value: `[[hang times=2 id=isolated]] ${TOOL_QUESTION}` },
    { headers: { ...system.headers, traceparent, prefer: 'respond-async' } },
  );
  expect(accepted.status).toBe(202);
  await loseExecutors();
  const runId = accepted.headers.get('x-run-id') ?? '';
  const hasEnded = async () =>
    (await system.getJson<{ status: string }>(`/api/v1/runs/${runId}`)).status === 'succeeded';
  await until(hasEnded, 'the end of the run', 90_000);

  const spans = () => receiver.spansOf(traceId);
  const run = () =>
    spans().find(({ attributes }) => attributes['millrace.run.attempt'] === fixedLimits.runAttempts);
  const agent = () =>
    spans().find(({ name, parentSpanId }) => name === 'vertex Agent' && parentSpanId === run()?.spanId);
  const tool = () =>
    spans().find(({ name, parentSpanId }) => /^execute_tool/.test(name) && parentSpanId === agent()?.spanId);
  await until(() => run() !== undefined && tool() !== undefined, 'the steps of the last attempt');
  expect(run()?.attributes).toMatchObject({ 'millrace.run.status': 'succeeded' });
  const instances = [run(), agent()].map((span) => span?.resource['service.instance.id']);
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

/** Returns the spans of a trace whose parents are not in it. */
function rootsOf(traceId: string): readonly string[] {
  const spans = receiver.spansOf(traceId);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans
    .filter(({ parentSpanId }) => !ids.has(parentSpanId))
    .map(({ service, name }) => `${service} ${name}`);
}

/** Kills the executor of each attempt but the last. */
async function loseExecutors(): Promise<void> {
  for (let attempt = 1; attempt < fixedLimits.runAttempts; attempt += 1) {
    await until(() => system.model.counts.active > 0, 'a call of the model', 90_000);
    const victim = await busyExecutor();
    victim.kill();
    await victim.exited;
    await until(() => system.model.counts.active === 0, 'the end of the call');
    await replace(victim);
  }
}

/** Starts an executor in place of one that was killed. */
async function replace(victim: TestSystem['executors'][number]): Promise<void> {
  system.executors.splice(system.executors.indexOf(victim), 1, await system.startExecutor());
}

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
