import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;
const message = 'No Python process was free within 5 s.';
const failure = { code: 'python_busy', message, vertex: null, problems: [] };

let flowId: string;
const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({ ...echo, endpoint_name: 'echo' });
}, 60_000);

test.each([
  ['a run', '/api/v1/run/echo', {}],
  ['a run with several inputs', '/api/v1/run/advanced/echo', {}],
  ['a streamed run', '/api/v1/run/echo?stream=true', {}],
  ['a response', '/api/v1/responses', { model: 'echo', input: 'x' }],
  ['a workflow', '/api/v2/workflows', { flow_id: 'ECHO', input_value: 'x' }],
])('%s without a free Python process can be tried again', async (_what, path, body) => {
  gateway.executor.handleJob = ({ final }) => final('failed', failure);
  const sent = 'flow_id' in body ? { ...body, flow_id: flowId } : body;
  const { status, headers, json } = await gateway.call('POST', path, sent);
  expect([status, headers.get('x-error-code'), headers.get('retry-after')]).toEqual([
    503,
    'python_busy',
    '2',
  ]);
  expect(json).toEqual({ detail: message });
});

test.each([
  ['a run', '/api/v1/run/echo?stream=true', {}, `503: ${message}`],
  ['a response', '/api/v1/responses', { model: 'echo', input: 'x', stream: true }, message],
])('%s that streams already has the reason as its last event', async (_what, path, body, text) => {
  gateway.executor.handleJob = async ({ events, final }) => {
    await events([{ event: 'token', data: { chunk: 'a', id: 'm' } }]);
    await final('failed', failure);
  };
  const streamed = await gateway.call('POST', path, body);
  expect([streamed.status, streamed.text]).toEqual([200, expect.stringContaining(text)]);
});

test('a background run has the code in its record', async () => {
  const accepted = await gateway.call('POST', '/api/v1/run/echo', {}, { prefer: 'respond-async' });
  const { run_id: runId } = accepted.json as { run_id: string };
  await gateway.runs.claim([{ runId, worker: 'test', redelivered: false }]);
  await gateway.runs.complete([{ runId, attempt: 1, status: 'failed', result: null, failure, messages: [] }]);
  await until(async () => {
    const { json } = await gateway.call('GET', `/api/v1/runs/${runId}`);
    return (json as { error: { code: string } | null }).error?.code === 'python_busy';
  });
});
