import { BodyBudget } from '@millrace/http';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../../testing/test-ingest';

const ingest = forAllTests(() =>
  openTestIngest({ bodies: new BodyBudget({ maximumBytes: 4_000, freeBytes: 0 }) }),
);
beforeAll(async () => {
  await ingest.newFlow('open', { webhookAuth: 'off' });
}, 60_000);

const send = async (flow: string, bytes: number): Promise<number> => {
  const body = JSON.stringify('x'.repeat(bytes));
  const response = await fetch(`${ingest.url}/${flow}`, { method: 'POST', body });
  await response.arrayBuffer();
  return response.status;
};

test('the bodies of webhooks take room only until these are answered, accepted or not', async () => {
  const statuses: number[] = [];
  for (const flow of ['open', 'none', 'open', 'none', 'open']) statuses.push(await send(flow, 3_000));
  expect(statuses).toEqual([202, 403, 202, 403, 202]);
  const body = JSON.stringify('x'.repeat(5_000));
  const refused = await fetch(`${ingest.url}/open`, { method: 'POST', body });
  const { status, headers } = refused;
  expect([status, headers.get('retry-after'), headers.get('x-error-code'), await refused.json()]).toEqual([
    503,
    '1',
    'ingest_unavailable',
    { detail: 'Too many large webhooks are being received; please send it again.' },
  ]);
  expect(await send('open', 3_000)).toBe(202);
});
