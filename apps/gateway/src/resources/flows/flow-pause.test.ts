import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as object;
const REASON = 'The provider is down.';
const TEXT = `The flow is paused: ${REASON}`;
let flowId: string;

const gateway = gatewayForTests();
beforeAll(async () => {
  const agent = { flow_type: 'agent', a2a_enabled: true, mcp_enabled: true };
  flowId = await gateway.createFlow({ ...echo, ...agent, name: 'paused', endpoint_name: 'paused' });
  await gateway.createFlow({ ...echo, name: 'other', endpoint_name: 'other' });
}, 60_000);

const act = (action: 'pause' | 'resume', body?: object): Promise<Answer> =>
  gateway.call('POST', `/api/v1/flows/${flowId}/${action}`, body);

const sent = (path: string, body: object, headers = {}): Promise<Answer> =>
  gateway.call('POST', path, body, headers);

const rpc = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params });

test('callers of a paused flow get the reason in the shape of their interface, until it is resumed', async () => {
  expect((await act('pause', { reason: REASON })).json).toEqual({ id: flowId, paused: true, reason: REASON });
  for (const [path, body] of [
    ['/api/v1/run/paused', {}],
    ['/api/v1/run/paused?stream=true', {}],
    ['/api/v1/run/advanced/paused', {}],
    [`/run/${flowId}`, {}],
  ] as const) {
    const { status, json, headers } = await sent(path, body);
    expect([path, status, json, headers.get('x-error-code')]).toEqual([
      path,
      503,
      { detail: TEXT },
      'flow_paused',
    ]);
  }
  const kept = await sent('/api/v1/run/paused', {}, { 'idempotency-key': 'once' });
  expect([kept.status, kept.json]).toEqual([503, { detail: TEXT }]);
  for (const mode of ['sync', 'stream']) {
    const { status, text } = await sent('/api/v2/workflows', { flow_id: flowId, mode, input_value: 'x' });
    expect([mode, status, text]).toEqual([mode, 503, expect.stringContaining(TEXT)]);
  }
  const chat = await sent('/v1/chat/completions', {
    model: 'paused',
    messages: [{ role: 'user', content: 'x' }],
  });
  expect([chat.status, chat.json]).toMatchObject([503, { error: { message: TEXT, code: 'flow_paused' } }]);
  const response = await sent('/api/v1/responses', { model: 'paused', input: 'x' });
  expect([response.status, response.text]).toEqual([503, expect.stringContaining(TEXT)]);
  const tool = await sent(
    '/api/v1/mcp/streamable',
    rpc('tools/call', { name: 'paused', arguments: { input_value: 'x' } }),
    { accept: 'application/json, text/event-stream' },
  );
  expect(tool.text).toContain(TEXT);
  const message = { role: 'user', kind: 'message', messageId: 'm', parts: [{ kind: 'text', text: 'x' }] };
  const task = await sent(`/api/v1/a2a/${flowId}/jsonrpc`, rpc('message/send', { message }));
  expect([task.status, task.text]).toEqual([503, expect.stringContaining(TEXT)]);
  expect((await sent('/api/v1/run/other', {})).status).toBe(200);
  expect((await act('resume')).json).toEqual({ id: flowId, paused: false, reason: null });
  expect((await sent('/api/v1/run/paused', {})).status).toBe(200);
});

test('a background run of a paused flow is accepted and waits', async () => {
  await act('pause');
  const { status, headers } = await sent('/api/v1/run/paused', {}, { prefer: 'respond-async' });
  expect(status).toBe(202);
  const run = await gateway.call('GET', headers.get('location') ?? '');
  expect(run.json).toMatchObject({ status: 'accepted', flow_id: flowId });
  await act('resume');
});

test('a pause can be repeated and its reason is bounded', async () => {
  expect((await act('resume')).status).toBe(200);
  expect((await act('pause', { reason: 'x'.repeat(501) })).status).toBe(422);
  expect((await act('pause', { until: 'x' })).status).toBe(422);
  expect((await act('pause')).json).toMatchObject({ reason: 'No reason was given.' });
  expect((await act('pause', { reason: REASON })).json).toMatchObject({ reason: REASON });
  await act('resume');
});
