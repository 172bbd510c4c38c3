import { randomUUID } from 'node:crypto';
import { BudgetStore } from '@millrace/runs';
import { gatewayForTests } from '../../testing/test-gateway';

let flow = '';
const gateway = gatewayForTests();
beforeAll(async () => {
  flow = await gateway.createFlow({ name: 'bounded', data: { nodes: [], edges: [] } });
}, 60_000);

const path = () => `/api/v1/limits/flows/${flow}`;
const put = (body: unknown) => gateway.call('PUT', path(), body);
const none = {
  dollars_per_run: null,
  dollars_per_day: null,
  dollars_per_month: null,
  tokens_per_run: null,
  tokens_per_day: null,
  tokens_per_month: null,
  warn_at: null,
};

async function reserve(tokens: number, dollars: number): Promise<string> {
  const id = randomUUID();
  const call = { id, runId: randomUUID(), flowId: flow, keyId: null, sessionId: flow, tokens, dollars };
  const store = new BudgetStore({ database: gateway.database });
  expect(await store.reserve(gateway.user.id, [call])).toEqual(['reserved']);
  return id;
}

test('a budget is stored, and read with what is spent, reserved and left', async () => {
  const budget = { tokens_per_day: 1_000, dollars_per_month: 2, warn_at: 0.5 };
  expect((await put({ budget })).json).toMatchObject({
    requests_per_second: null,
    budget: { ...none, ...budget },
  });
  const id = await reserve(300, 0.3);
  await new BudgetStore({ database: gateway.database }).settle([{ id, tokens: 100, dollars: 0.1 }]);
  await reserve(200, 0.2);
  const common = { dollars: 0.1, tokens: 100, reserved_dollars: 0.2, reserved_tokens: 200 };
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const spend = {
    day: {
      ...common,
      start: new Date(Date.UTC(year, month, now.getUTCDate())).toISOString(),
      dollars_left: null,
      tokens_left: 700,
    },
    month: {
      ...common,
      start: new Date(Date.UTC(year, month)).toISOString(),
      dollars_left: 1.7,
      tokens_left: null,
    },
  };
  const read = (await gateway.call('GET', path())).json as { readonly budget: object };
  expect(read).toMatchObject({ spend });
  expect((await put({ budget: read.budget })).status).toBe(200);
  expect((await gateway.call('GET', '/api/v1/limits')).json).toEqual({
    limits: [
      {
        scope: 'flow',
        id: flow,
        name: 'bounded',
        requests_per_second: null,
        concurrent_runs: null,
        waiting_runs: null,
        weight: null,
        body_bytes_per_day: null,
        file_bytes_per_day: null,
        end_user_requests_per_second: null,
        end_user_concurrent_runs: null,
        budget: { ...none, ...budget },
        spend,
      },
    ],
    complete: true,
  });
  const { json: entries } = await gateway.call('GET', '/api/v1/audit?action=limits.changed&limit=1');
  expect(JSON.stringify(entries)).toContain('"tokens_per_day":1000');
});

test('another user sees neither the budget nor the spend', async () => {
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'another' });
  const theirs = { 'x-api-key': (json as { api_key: string }).api_key };
  expect((await gateway.call('GET', '/api/v1/limits', undefined, theirs)).json).toEqual({
    limits: [],
    complete: true,
  });
  for (const method of ['GET', 'PUT']) {
    const body = method === 'PUT' ? {} : undefined;
    expect((await gateway.call(method, path(), body, theirs)).status).toBe(404);
  }
});

test.each([
  [422, { tokens_per_day: 1.5 }],
  [422, { dollars_per_day: -1 }],
  [422, { dollars_per_week: 1 }],
  [422, { tokens_per_day: 1, warn_at: 0 }],
  [422, { tokens_per_day: 1, warn_at: 1.1 }],
  [422, 'all'],
  [400, { warn_at: 0.8 }],
  // Of keys alone.
  [422, { end_user_tokens_per_day: 1 }],
])('the answer is %i to the budget %j', async (status, budget) => {
  expect((await put({ budget })).status).toBe(status);
});

test('a budget of end users is one of a key, has no warning, and is read for one end user', async () => {
  const { json } = await gateway.call('POST', '/api/v1/api_key/', { name: 'app', end_users: 'header' });
  const key = json as { readonly id: string; readonly api_key: string };
  const ofKey = `/api/v1/limits/api_key/${key.id}`;
  const budget = { end_user_tokens_per_day: 1_000, end_user_dollars_per_month: 2 };
  expect((await gateway.call('PUT', ofKey, { budget: { ...budget, warn_at: 0.5 } })).status).toBe(400);
  expect((await gateway.call('PUT', ofKey, { budget })).json).toMatchObject({
    budget: { ...none, ...budget },
  });
  const call = { id: randomUUID(), runId: randomUUID(), flowId: flow, tokens: 300, dollars: 0.5 };
  const store = new BudgetStore({ database: gateway.database });
  const ofAnn = { ...call, keyId: key.id, sessionId: 'ann::s' };
  expect(await store.reserve(gateway.user.id, [ofAnn])).toEqual(['reserved']);
  const read = async (endUser: string) => (await gateway.call('GET', `${ofKey}?end_user_id=${endUser}`)).json;
  const left = (tokens: number, dollars: number) => ({
    spend: {
      day: { tokens_left: tokens, dollars_left: null },
      month: { tokens_left: null, dollars_left: dollars },
    },
  });
  expect(await read('ann')).toMatchObject(left(700, 1.5));
  expect(await read('bob')).toMatchObject(left(1_000, 2));
  expect((await gateway.call('GET', `${ofKey}?end_user_id=a::b`)).status).toBe(400);
  const erased = async () => {
    const { json: log } = await gateway.call('GET', '/api/v1/audit?action=session.erased');
    return (log as { readonly entries: readonly { readonly detail: object }[] }).entries.map(
      ({ detail }) => detail,
    );
  };
  expect((await gateway.call('POST', '/api/v1/erasures', { end_user_id: 'ann\0' })).status).toBe(422);
  for (let times = 0; times < 2; times += 1)
    expect((await gateway.call('POST', '/api/v1/erasures', { end_user_id: 'ann' })).status).toBe(200);
  expect(await erased()).toEqual([{ by: 'end_user', messages: 0, runs: 0, spend: 2 }]);
  expect(await read('ann')).toMatchObject(left(1_000, 2));
});
