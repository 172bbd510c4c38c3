import { forAllTests } from '@millrace/testing';
import { startTestSystem } from './test-system';

const system = forAllTests(startTestSystem);

const run = (endpoint: string, body: object) => system.post(`/api/v1/run/${endpoint}`, body);

async function flowWith(settings: object, example = 'echo'): Promise<{ id: string; endpoint: string }> {
  const { id, endpoint } = await system.upload(example);
  const response = await fetch(`${system.url}/api/v1/flows/${id}`, {
    method: 'PATCH',
    headers: { 'x-api-key': system.key, 'content-type': 'application/json' },
    body: JSON.stringify({ settings }),
  });
  expect(response.status).toBe(200);
  return { id, endpoint };
}

const rowsOf = async (table: string, id: string) =>
  Number(
    (await system.database.query(`SELECT count(*) FROM ${table} WHERE flow_id = $1`, [id])).rows[0].count,
  );

async function counted(id: string, wanted: number): Promise<void> {
  const unrecorded = async () =>
    (await system.getJson<{ unrecorded_runs: number }>(`/api/v1/runs?flow_id=${id}`)).unrecorded_runs;
  for (let tries = 0; tries < 50 && (await unrecorded()) < wanted; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await unrecorded()).toBe(wanted);
}

test.each(['none', { runs: 'none' }])(
  'a flow with records %j keeps a number of its runs that succeed',
  async (records) => {
    const { id, endpoint } = await flowWith({ records });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => run(endpoint, { input_value: 'hello' })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-run-record')).toBe('none');
    }
    const missing = await fetch(`${system.url}/api/v1/runs/${answers[0]?.headers.get('x-run-id')}`, {
      headers: { 'x-api-key': system.key },
    });
    expect([missing.status, missing.headers.get('x-error-code')]).toEqual([404, 'not_recorded']);
    await counted(id, 20);
    const history = await system.getJson<{ unrecorded_runs: number }>(`/api/v1/runs/history?flow_id=${id}`);
    expect(history.unrecorded_runs).toBe(20);
    expect([await rowsOf('runs', id), await rowsOf('messages', id)]).toEqual([0, 0]);
  },
  60_000,
);

test('without records, the messages of a named session, failed runs and durable runs are stored', async () => {
  const { id, endpoint } = await flowWith({ records: 'none' });
  const named = await run(endpoint, { input_value: 'hello', session_id: 'mine' });
  expect(named.headers.get('x-run-record')).toBe('none');
  const messages = await system.getJson<{ text: string }[]>(
    `/api/v1/monitor/messages?flow_id=${id}&session_id=mine`,
  );
  expect(messages.map(({ text }) => text)).toEqual(['hello', 'hello']);
  const chat = await flowWith({ records: 'none' }, 'chat');
  const failed = await run(chat.endpoint, { input_value: '[[status=500]]' });
  expect([failed.status, failed.headers.get('x-run-record')]).toEqual([500, null]);
  const failedRun = await system.getJson(`/api/v1/runs/${failed.headers.get('x-run-id')}`);
  expect(failedRun).toMatchObject({ status: 'failed' });
  const durable = await fetch(`${system.url}/api/v1/run/${endpoint}`, {
    method: 'POST',
    headers: { 'x-api-key': system.key, 'content-type': 'application/json', 'idempotency-key': 'once' },
    body: JSON.stringify({ input_value: 'hello' }),
  });
  const record = await system.getJson<{ status: string; result: object }>(
    `/api/v1/runs/${durable.headers.get('x-run-id')}`,
  );
  expect(record).toMatchObject({ status: 'succeeded', result: await durable.json() });
  expect(await rowsOf('runs', id)).toBe(1);
}, 60_000);

test('a lean row has neither request nor result', async () => {
  const { endpoint } = await flowWith({ records: 'lean' });
  const answer = await run(endpoint, { input_value: 'hello' });
  expect(answer.headers.get('x-run-record')).toBe('lean');
  const id = String(answer.headers.get('x-run-id'));
  expect(await system.getJson(`/api/v1/runs/${id}`)).toMatchObject({ id, status: 'succeeded', result: null });
  const request = await fetch(`${system.url}/api/v1/runs/${id}/request`, {
    headers: { 'x-api-key': system.key },
  });
  expect(request.status).toBe(404);
}, 60_000);

test('callers without a session get one each where the flow says so', async () => {
  const { id, endpoint } = await flowWith({ sessions: 'own' });
  const sessions = new Set<string>();
  for (let count = 0; count < 3; count += 1) {
    const answer = await run(endpoint, { input_value: `text ${count}` });
    sessions.add(((await answer.json()) as { session_id: string }).session_id);
  }
  expect(sessions.size).toBe(3);
  expect(sessions.has(id)).toBe(false);
  const answer = await run(endpoint, { input_value: 'hello', session_id: 'mine' });
  expect(((await answer.json()) as { session_id: string }).session_id).toBe('mine');
}, 60_000);

test('the installation decides for flows without the setting, and refuses other words', async () => {
  const { id } = await system.upload('echo');
  const response = await fetch(`${system.url}/api/v1/flows/${id}`, {
    method: 'PATCH',
    headers: { 'x-api-key': system.key, 'content-type': 'application/json' },
    body: JSON.stringify({ settings: { records: 'nothing' } }),
  });
  expect(response.status).toBe(422);
});
