import { gatewayForTests } from '../../testing/test-gateway';

let flow = '';
const gateway = gatewayForTests();
beforeAll(async () => {
  flow = await gateway.createFlow({ name: '=HYPERLINK("x")', data: { nodes: [], edges: [] } });
  const common = { userId: gateway.user.id, flowId: flow, keyId: null, pool: 'default' };
  const numbers = { runs: 3, failures: 1, waitingMilliseconds: 30, runningMilliseconds: 90 };
  const none = { calls: 0, inputTokens: 0, outputTokens: 0, unpricedCalls: 0, cost: 0 };
  await gateway.runs.countUsage([
    { ...common, ...numbers, ...none, provider: '', model: '' },
    { ...common, ...numbers, ...none, provider: 'openai', model: 'gpt', calls: 4, inputTokens: 7, cost: 0.5 },
  ]);
}, 60_000);

const read = (query: string) => gateway.call('GET', `/api/v1/usage${query}`);

test('sums are by what is asked for, with names, as JSON and as CSV', async () => {
  expect((await read('')).json).toMatchObject({
    complete: true,
    rows: [
      { runs: 3, failures: 1, model_calls: 4, input_tokens: 7, cost_usd: 0.5, waiting_milliseconds: 30 },
    ],
  });
  expect((await read('?by=flow,model&interval=hour&all_users=true')).json).toMatchObject({
    rows: [{ flow_id: flow, flow_name: '=HYPERLINK("x")', provider: 'openai', model: 'gpt', runs: 3 }],
  });
  const csv = await read('?by=flow&format=csv');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('content-disposition')).toContain('usage.csv');
  const [names, row] = csv.text.split('\r\n');
  expect(names).toMatch(/^start,user_id,username,.*,running_milliseconds$/);
  // A spreadsheet must not compute a name.
  expect(row).toContain(`"'=HYPERLINK(""x"")"`);
});

test.each([
  ['?by=weather', 422],
  ['?interval=minute', 422],
  ['?from=yesterday', 422],
  ['?before=2026-01-01T00:00:00Z&from=2026-01-02T00:00:00Z', 400],
  ['?before=2026-06-01T00:00:00Z&from=2026-01-02T00:00:00Z&interval=hour', 400],
  ['?before=2026-06-01T00:00:00Z&from=2020-01-02T00:00:00Z', 400],
  ['?bye=flow', 422],
])('%s is refused with %i', async (query, status) => {
  expect((await read(query)).status).toBe(status);
});

test('a user sees their own usage and not that of others', async () => {
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'usage-reader' });
  const { api_key: key } = json as { api_key: string };
  const as = (query: string) => gateway.call('GET', `/api/v1/usage${query}`, undefined, { 'x-api-key': key });
  expect((await as(`?by=flow&flow_id=${flow}`)).json).toMatchObject({ rows: [] });
  expect((await as('?all_users=true')).status).toBe(403);
  expect((await as(`?user_id=${gateway.user.id}`)).status).toBe(403);
});
