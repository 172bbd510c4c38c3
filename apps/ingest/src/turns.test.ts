import { openTestIngest } from './testing/test-ingest';
import type { TestIngest } from './testing/test-ingest';

let ingest: TestIngest;
beforeAll(async () => {
  ingest = await openTestIngest({ runsAhead: 3, maximumWaitingRuns: 5 });
}, 60_000);
afterAll(() => ingest.close());

const post = (flow: string) => fetch(`${ingest.url}/${flow}`, { method: 'POST', body: '{}' });
const postMany = async (flow: string, count: number) => {
  const ids: string[] = [];
  for (let sent = 0; sent < count; sent += 1) {
    const answer = await post(flow);
    expect(answer.status).toBe(202);
    ids.push(((await answer.json()) as { run_id: string }).run_id);
  }
  return ids;
};
const published = (ids: readonly string[]) =>
  ids.filter((id) => ingest.jobs.some(({ runId }) => runId === id));
const end = async (runId: string) => {
  await ingest.runs.claim([{ runId, worker: 'one', redelivered: false }]);
  const nothing = { result: '{}', failure: null, messages: [] };
  await ingest.runs.complete([{ runId, attempt: 1, status: 'succeeded', ...nothing }]);
};

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 500 && !(await condition()); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await condition()).toBe(true);
}

test('who sends much waits for his own runs, and makes nobody else wait', async () => {
  const flooding = await ingest.newUser('flooding');
  const crowd = await ingest.newFlow('crowd', { webhookAuth: 'off' }, flooding);
  await ingest.newFlow('calm', { webhookAuth: 'off' });
  const ids = await postMany(crowd, 6);
  const [other = ''] = await postMany('calm', 1);
  await until(() => published([other]).length === 1);
  await until(() => published(ids).length === 3);
  const [last = ''] = ids.slice(-1);
  expect(await ingest.runs.find(flooding, last)).toMatchObject({ status: 'accepted' });
  for (const id of published(ids)) await end(id);
  await until(() => published(ids).length === 6);
  await until(async () => (await ingest.runs.find(flooding, last))?.status === 'queued');
  expect(ingest.jobs.filter(({ runId }) => ids.includes(runId))).toHaveLength(6);
});

test('beyond what may wait a webhook is refused, by the number, until some have gone', async () => {
  const patient = await ingest.newUser('patient');
  const flow = await ingest.newFlow('patience', { webhookAuth: 'off' }, patient);
  const ids = await postMany(flow, 8);
  let answer = await post(flow);
  for (let tries = 0; tries < 10 && answer.status === 202; tries += 1) answer = await post(flow);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30']);
  expect(await answer.json()).toEqual({
    detail: '5 background runs of this user wait for their turn, which is as many as may.',
  });
  await until(() => published(ids).length === 3);
  for (const id of published(ids)) await end(id);
  await until(() => published(ids).length === 6);
  await until(async () => (await post(flow)).status === 202);
});

test('a flow with a limit goes on with so many runs', async () => {
  await ingest.newFlow('one-by-one', { webhookAuth: 'off', concurrency: 1 }, await ingest.newUser('single'));
  const ids = await postMany('one-by-one', 3);
  for (let gone = 1; gone <= 3; gone += 1) {
    await until(() => published(ids).length === gone);
    await end(published(ids).at(-1) ?? '');
  }
});
