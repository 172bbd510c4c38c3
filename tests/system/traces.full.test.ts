import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer } from '@millrace/model-server';
import type { ModelServer } from '@millrace/model-server';
import { until } from '@millrace/service/testing';
import { AGENT_TREE, agentTree, callersTrace, TOOL_QUESTION } from './agent-trace';
import { startOtlpReceiver, telemetryEnvironment } from './otlp-receiver';
import type { OtlpReceiver } from './otlp-receiver';
import { startStandalone } from './start-standalone';
import type { Standalone } from './start-standalone';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
let model: ModelServer;
let receiver: OtlpReceiver;
let app: Standalone;

beforeAll(async () => {
  [model, receiver] = await Promise.all([startModelServer(), startOtlpReceiver()]);
  app = await startStandalone({
    environment: {
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-canary-of-the-model',
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      ...telemetryEnvironment(receiver.url),
    },
  });
}, 120_000);

afterAll(async () => {
  await app?.stop();
  await receiver?.close();
  await model?.close();
}, 60_000);

function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(app.url + path, {
    method: 'POST',
    headers: { ...app.headers, ...headers },
    body: JSON.stringify(body),
  });
}

async function ask(input_value: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const response = await post('/api/v1/run/agent-with-tools', { input_value, session_id: 'talk' }, headers);
  await response.text();
  return response;
}

test('a run is one tree, from the request through vertices to calls of the model and of a tool', async () => {
  const caller = callersTrace();
  const response = await ask(TOOL_QUESTION, { traceparent: caller.traceparent });
  expect(response.status).toBe(200);
  expect(await agentTree(receiver, caller.traceId)).toEqual(AGENT_TREE);
  const spans = receiver.spansOf(caller.traceId);
  const server = spans.find(({ kind }) => kind === 2);
  expect(server).toMatchObject({ parentSpanId: caller.spanId, service: 'millrace' });
  expect(server?.resource).toMatchObject({ 'deployment.environment.name': 'test' });
  // The response names its trace.
  expect(response.headers.get('traceparent')).toBe(`00-${caller.traceId}-${server?.spanId}-01`);
});

test('spans have the attributes of the conventions, and the ids of the run', async () => {
  const { traceId, traceparent } = callersTrace();
  const response = await ask(TOOL_QUESTION, { traceparent });
  await agentTree(receiver, traceId);
  const named = (name: string) => receiver.spansOf(traceId).find((span) => span.name === name)?.attributes;
  expect(named('invoke_workflow Agent with tools')).toMatchObject({
    'gen_ai.operation.name': 'invoke_workflow',
    'gen_ai.workflow.name': 'Agent with tools',
    'gen_ai.conversation.id': 'talk',
    'millrace.run.id': response.headers.get('x-run-id'),
    'millrace.run.attempt': 1,
    'millrace.run.status': 'succeeded',
    'millrace.flow.id': expect.any(String),
    'millrace.lane': 'interactive',
    'user.id': expect.any(String),
  });
  expect(named('vertex Agent')).toMatchObject({
    'millrace.vertex.type': 'Agent',
    'millrace.vertex.execution': 1,
  });
  expect(named('chat gpt-4o-mini')).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4o-mini',
    'gen_ai.response.model': 'gpt-4o-mini',
    'gen_ai.response.finish_reasons': [expect.stringMatching(/^(?:tool_calls|stop)$/)],
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.usage.output_tokens': expect.any(Number),
    'server.address': '127.0.0.1',
    'gen_ai.input.messages': expect.stringContaining('What is 6 * 7?'),
    'gen_ai.output.messages': expect.stringContaining('"role":"assistant"'),
  });
  expect(named('execute_tool evaluate_expression')).toMatchObject({
    'gen_ai.tool.name': 'evaluate_expression',
    'gen_ai.tool.call.arguments': '{"expression":"6*7"}',
    'gen_ai.tool.call.result': expect.stringContaining('42'),
  });
});

test('a streamed answer of a model is a span until its last token', async () => {
  const { traceId, traceparent } = callersTrace();
  const body = { input_value: '[[tokens=5]]' };
  const response = await post('/api/v1/run/chat?stream=true', body, { traceparent });
  await response.text();
  const spans = await receiver.whenTraced(traceId, [/^chat /, 'POST']);
  expect(spans.find(({ name }) => name.startsWith('chat '))?.attributes).toMatchObject({
    'gen_ai.request.stream': true,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.response.finish_reasons': ['stop'],
  });
});

test('a failed run has the vertex and the type of its error; texts do not contain keys', async () => {
  const { traceId, traceparent } = callersTrace();
  expect((await ask('[[status=400 reply="sk-canary-of-the-model"]]', { traceparent })).status).toBe(500);
  const spans = await receiver.whenTraced(traceId, [/^invoke_workflow Agent/, 'vertex Agent', /^chat/]);
  const named = (name: RegExp) => spans.find((span) => name.test(span.name));
  expect(named(/^invoke_workflow/)).toMatchObject({
    failed: true,
    attributes: { 'error.type': 'component_failed', 'millrace.run.failed_vertex': 'Agent-agent5' },
  });
  expect(named(/^vertex Agent/)).toMatchObject({ failed: true, message: expect.stringContaining('400') });
  expect(named(/^chat/)).toMatchObject({ failed: true, message: '' });
  expect(JSON.stringify(receiver.spans)).not.toContain('sk-canary');
});

test('a run in the background stays in the trace of its webhook', async () => {
  const { traceId, traceparent } = callersTrace();
  const response = await post('/api/v1/webhook/order-webhook', { quantity: 3 }, { traceparent });
  expect(response.status).toBe(202);
  expect(response.headers.get('traceparent')).toContain(traceId);
  await receiver.whenTraced(traceId, [/^invoke_workflow /, 'queue', /^vertex /]);
});

test('a replay is a trace of its own, with a link to that of the run', async () => {
  const first = callersTrace();
  const broken = JSON.parse(readFileSync(join(EXAMPLES, 'order-alert.json'), 'utf8')) as object;
  const created = await post('/api/v1/flows/', {
    ...broken,
    name: 'No address',
    endpoint_name: 'no-address',
  });
  expect(created.status).toBe(201);
  const started = await post(
    '/api/v1/webhook/no-address',
    { customer: 'Ann', quantity: 500, product: 'pencils' },
    { traceparent: first.traceparent },
  );
  const { run_id: runId } = (await started.json()) as { run_id: string };
  const failed = await receiver.whenTraced(first.traceId, ['invoke_workflow No address']);
  expect(failed.find(({ name }) => name.startsWith('invoke_workflow'))?.failed).toBe(true);
  const replay = callersTrace();
  // The end of the run is committed after its span ends.
  const isReplayed = async () =>
    (await post(`/api/v1/runs/${runId}/replay`, {}, { traceparent: replay.traceparent })).status === 202;
  await until(isReplayed, 'a replay');
  const spans = await receiver.whenTraced(replay.traceId, ['invoke_workflow No address']);
  const links = spans.find(({ name }) => name.startsWith('invoke_workflow'))?.links;
  expect(links).toEqual([expect.objectContaining({ traceId: first.traceId })]);
});

test('metrics are pushed with the name of the service', async () => {
  await until(() => (receiver.metrics.get('millrace')?.size ?? 0) > 0, 'metrics');
});
