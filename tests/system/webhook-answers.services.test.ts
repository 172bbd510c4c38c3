import { flowData, forAllTests, node } from '@millrace/testing';
import { startTestSystem } from './test-system';

const system = forAllTests(() => startTestSystem({ pools: { default: 1 } }));

/** Stores a flow whose Respond vertex answers with the body of the webhook; resolves to the path of its webhook. */
async function createFlow(
  name: string,
  webhook: object,
  respond: Parameters<typeof node>[1] = {},
): Promise<string> {
  const parser = node('ParserComponent-p', { mode: 'Parser', pattern: '{text}', sep: '' }, 'parsed_text');
  const data = flowData(
    [node('Webhook-w', {}, 'output_data'), parser, node('Respond-r', respond, 'http_response')],
    [
      'Webhook-w.output_data > ParserComponent-p.input_data',
      'ParserComponent-p.parsed_text > Respond-r.body',
    ],
  );
  const body = { name, endpoint_name: name, data, settings: { webhookAuth: 'off', webhook } };
  expect((await system.post('/api/v1/flows/', body)).status).toBe(201);
  return `/api/v1/webhook/${name}`;
}

test('through the gateway a sender gets status, headers and body that the flow chooses', async () => {
  const respond = {
    status: '201',
    content_type: 'text/html',
    headers: { type: 'table', value: [{ key: 'Cache-Control', value: 'no-store' }] },
  };
  const path = await createFlow('chosen-answer', { maximumWaitSeconds: 30 }, respond);
  const answer = await system.post(`${path}?wait=30`, { text: '<script>alert(1)</script>' });
  expect([answer.status, await answer.text()]).toEqual([201, '<script>alert(1)</script>']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    location: `/api/v1/runs/${answer.headers.get('x-run-id')}`,
  });
});

test('the setting of the flow makes senders wait who do not ask for it', async () => {
  const path = await createFlow('waiting-flow', { waitSeconds: 30 });
  const answer = await system.post(path, { text: 'hello' });
  expect([answer.status, await answer.text()]).toEqual([200, 'hello']);
  expect((await system.post(`${path}?wait=0`, { text: 'hello' })).status).toBe(202);
});

test('a run that a Respond vertex fails is answered without the reason', async () => {
  const path = await createFlow('refused-answer', { waitSeconds: 30 }, { status: '700' });
  const answer = await system.post(path, { text: 'hello' });
  expect([answer.status, await answer.json()]).toEqual([500, { detail: 'The run failed.' }]);
  const run = await system.getJson<{ error: { message: string } }>(answer.headers.get('location') ?? '');
  expect(JSON.stringify(run)).toContain('The status must be a whole number from 200 to 599.');
});
