import { createMetrics, Health } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../testing/test-ingest';

const ingest = forAllTests(() => openTestIngest({ metrics: createMetrics() }));

const post = (flow: string, body = '{"order": 7}', headers: Record<string, string> = {}) =>
  fetch(`${ingest.url}/${flow}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

/** Waits until this many deliveries of the flow are stored; returns their groups. */
async function refusedOf(flowId: string, deliveries: number) {
  const sum = async () =>
    (await ingest.refusedDeliveries.list(flowId)).reduce((total, { count }) => total + count, 0);
  await until(async () => (await sum()) >= deliveries);
  return ingest.refusedDeliveries.list(flowId);
}

test('the owner of a flow sees what its webhook refused, without the body', async () => {
  const signature = { scheme: 'github', secrets: ['HOOK_SECRET'] } as const;
  const flow = await ingest.newFlow('signed', { webhook: { signature } });
  expect((await post('signed', '{"order": 7}', { 'x-request-id': 'wrong-signature' })).status).toBe(401);
  const [refused, ...others] = await refusedOf(flow, 1);
  expect(others).toEqual([]);
  expect(refused).toMatchObject({
    code: 'signature_invalid',
    status: 401,
    reason: 'Invalid webhook signature',
    count: 1,
    requestId: 'wrong-signature',
    clientAddress: expect.stringContaining('127.0.0.1'),
  });
  expect(JSON.stringify(refused)).not.toContain('order');
});

test('a flood of equal refusals is stored as few rows with their number', async () => {
  const flow = await ingest.newFlow('keyed', {});
  await Promise.all(Array.from({ length: 200 }, () => post('keyed', '{}', { 'x-api-key': 'sk-wrong' })));
  const groups = await refusedOf(flow, 200);
  expect(groups.length).toBeLessThan(50);
  expect(new Set(groups.map(({ code }) => code))).toEqual(new Set(['key_invalid']));
});

test('accepted deliveries and those to unknown flows are not stored', async () => {
  const flow = await ingest.newFlow('open', { webhookAuth: 'off' });
  expect((await post('open')).status).toBe(202);
  expect((await post('unknown')).status).toBe(403);
  expect((await post('open', '{"order": 7}', { 'content-encoding': 'br' })).status).toBeGreaterThanOrEqual(
    400,
  );
  expect(await refusedOf(flow, 1)).toMatchObject([{ code: 'encoding_refused' }]);
});

test('an ingest that stops closes the connections of senders: accepted, refused and verified', async () => {
  const health = new Health();
  const stopping = await openTestIngest({ health });
  await stopping.newFlow('stopping', { webhookAuth: 'off' });
  const challenge = { scheme: 'microsoft-graph' } as const;
  await stopping.newFlow('verified', { webhookAuth: 'off', webhook: { challenge } });
  const send = async (flow: string) => {
    const { status, headers } = await fetch(`${stopping.url}/${flow}`, { method: 'POST', body: '{}' });
    return [status, headers.get('connection')];
  };
  expect(await send('unknown')).toEqual([403, 'keep-alive']);
  health.beginShutdown();
  expect(await send('stopping')).toEqual([202, 'close']);
  expect(await send('unknown')).toEqual([403, 'close']);
  expect(await send('verified?validationToken=text')).toEqual([200, 'close']);
  await stopping.close();
});
