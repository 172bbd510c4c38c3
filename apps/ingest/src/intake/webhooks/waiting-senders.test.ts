import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { GATEWAY_HEADER } from '@millrace/http';
import type { FlowSettings } from '@millrace/flow';
import { until } from '@millrace/service/testing';
import { forAllTests } from '@millrace/testing';
import { openTestIngest } from '../../testing/test-ingest';

const ingest = forAllTests(openTestIngest);
beforeAll(async () => {
  await ingest.newFlow('open', { webhookAuth: 'off', webhook: { maximumWaitSeconds: 30 } });
  await ingest.newFlow('brief', { webhookAuth: 'off', webhook: { maximumWaitSeconds: 1 } });
  await ingest.newFlow('waiting', { webhookAuth: 'off', webhook: { waitSeconds: 30 } });
  await ingest.newFlow('closed', { webhookAuth: 'off' });
}, 60_000);

const send = (flow: string, wait: string, headers: Record<string, string> = {}) =>
  fetch(`${ingest.url}/${flow}?wait=${wait}`, { method: 'POST', body: '{}', headers });

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Ends the newest run as an executor does, once there is one that is newer than `after`. */
async function endRun(text: string | null, answer?: object, after = FIRST_ID): Promise<void> {
  let id = '';
  await until(async () => {
    const { rows } = await ingest.database.query<{ id: string }>({
      text: 'SELECT id FROM runs WHERE finished_at IS NULL AND id > $1 ORDER BY id DESC LIMIT 1',
      values: [after],
    });
    id = rows[0]?.id ?? '';
    return id !== '';
  });
  await ingest.runs.claim([{ runId: id, worker: 'worker', redelivered: false }]);
  const respond = answer === undefined ? [] : [{ results: { http_response: { data: answer } } }];
  const outputs = [{ inputs: {}, outputs: [{ results: { message: { text } } }, ...respond] }];
  const end =
    text === null
      ? { status: 'failed' as const, result: null }
      : { status: 'succeeded' as const, result: JSON.stringify({ session_id: 's', outputs }) };
  await ingest.runs.complete([{ runId: id, attempt: 1, failure: null, messages: [], ...end }]);
}

test.each([
  ['{"ok": true}', 'application/json'],
  ['<script>alert(1)</script>', 'text/plain; charset=utf-8'],
  ['Grüße', 'text/plain; charset=utf-8'],
])('the sender gets the text %s of the flow, which a browser does not run', async (text, type) => {
  const answering = send('open', '20');
  await endRun(text);
  const answer = await answering;
  expect([answer.status, await answer.text()]).toEqual([200, text]);
  expect(answer.headers.get('content-type')).toBe(type);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  expect(answer.headers.get('location')).toBe(`/api/v1/runs/${answer.headers.get('x-run-id')}`);
});

test('the sender gets the answer that a Respond vertex has chosen', async () => {
  const answering = send('open', '20');
  const headers = { 'content-type': 'text/csv', location: '/elsewhere', 'retry-after': '5' };
  await endRun('of the chat output', { status: 503, headers, body: 'a,b' });
  const answer = await answering;
  expect([answer.status, await answer.text()]).toEqual([503, 'a,b']);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    ...headers,
    'x-content-type-options': 'nosniff',
  });
});

test('an answer of a Respond vertex can be without a body', async () => {
  const answering = send('open', '20');
  await endRun('', { status: 204, headers: {}, body: '' });
  const answer = await answering;
  expect([answer.status, await answer.text(), answer.headers.get('content-length')]).toEqual([204, '', null]);
});

test('a sender waits by the setting of the flow, and not with wait=0', async () => {
  const answering = fetch(`${ingest.url}/waiting`, { method: 'POST', body: '{}' });
  await endRun('waited');
  expect(await (await answering).text()).toBe('waited');
  expect((await send('waiting', '0')).status).toBe(202);
  await endRun('late');
});

test('a gateway learns that the sender waits', async () => {
  const sent = request(`${ingest.url}/open?wait=20`, { method: 'POST', headers: { [GATEWAY_HEADER]: '1' } });
  sent.end('{}');
  const [{ statusCode }] = (await once(sent, 'information')) as [{ statusCode: number }];
  expect(statusCode).toBe(102);
  await endRun('answered');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.resume();
});

test('a repeated delivery waits for the same run', async () => {
  const headers = { 'webhook-id': 'one' };
  const both = [send('open', '20', headers), send('open', '20', headers)];
  await endRun('once');
  const texts = await Promise.all(both.map(async (answer) => (await answer).text()));
  expect(texts).toEqual(['once', 'once']);
  expect(await (await send('open', '20', headers)).text()).toBe('once');
});

test('the end of a run is not read any more when its sender has left', async () => {
  const ended = jest.spyOn(ingest.runs, 'ended');
  const { headers } = await send('brief', '1');
  const answering = send('open', '20');
  await endRun('later', undefined, headers.get('x-run-id') ?? undefined);
  expect((await answering).status).toBe(200);
  expect(ended.mock.lastCall?.[0]).toHaveLength(1);
  ended.mockRestore();
  await endRun('late');
});

test('a run that fails is an error without its reason', async () => {
  const answering = send('open', '20');
  await endRun(null);
  const answer = await answering;
  expect([answer.status, await answer.json()]).toEqual([500, { detail: 'The run failed.' }]);
});

test.each([
  ['brief', '20'],
  ['open', '0'],
  ['closed', '20'],
])('flow %s with wait=%s answers that the run was accepted', async (flow, wait) => {
  const answer = await send(flow, wait);
  expect([answer.status, await answer.json()]).toMatchObject([202, { status: 'in progress' }]);
  await endRun('late');
});

test('a wait that is no number is refused', async () => {
  expect((await send('open', 'long')).status).toBe(400);
});

describe('places', () => {
  const leaving: AbortController[] = [];
  afterEach(() => {
    for (const sender of leaving.splice(0)) sender.abort();
  });

  /** Starts senders that wait; resolves to how many of them are answered at once, when the others have a place. */
  async function occupy(flow: string, senders: number): Promise<number> {
    let refused = 0;
    let failed = 0;
    const { rows } = await ingest.database.query<{ count: number }>({
      text: 'SELECT count(*)::int AS count FROM runs',
    });
    for (let count = 0; count < senders; count += 1) {
      const sender = new AbortController();
      leaving.push(sender);
      fetch(`${ingest.url}/${flow}?wait=30`, { method: 'POST', body: '{}', signal: sender.signal }).then(
        () => (refused += 1),
        () => (failed += 1),
      );
    }
    await until(async () => {
      const { rows: now } = await ingest.database.query<{ count: number }>({
        text: 'SELECT count(*)::int AS count FROM runs',
      });
      return (now[0]?.count ?? 0) - (rows[0]?.count ?? 0) === senders;
    });
    expect(failed).toBe(0);
    // Its run is stored after theirs, so they have been answered or have a place.
    await (await send('closed', '0')).arrayBuffer();
    return refused;
  }
  const hasPlace = async (flow: string) => {
    const { rows } = await ingest.database.query<{ id: string }>({
      text: 'SELECT id FROM runs ORDER BY id DESC LIMIT 1',
    });
    const answering = send(flow, '20');
    await endRun('in its place', undefined, rows[0]?.id);
    return (await answering).status === 200;
  };

  test('a flow without keys has a share of the places, and a sender that leaves makes its place free', async () => {
    expect(await occupy('open', 100)).toBe(0);
    expect(await hasPlace('open')).toBe(false);
    expect(await hasPlace('waiting')).toBe(true);
    for (const sender of leaving.splice(0, 1)) sender.abort();
    await until(() => hasPlace('open'), 'the place of a sender that left stays taken');
  });

  test('the flows of a user have a share of the places together, and those of another user have their own', async () => {
    const settings: FlowSettings = { webhookAuth: 'off', webhook: { maximumWaitSeconds: 30 } };
    await ingest.newFlow('second', settings);
    await ingest.newFlow('third', settings);
    await ingest.newFlow('foreign', settings, await ingest.newUser('neighbour'));
    await until(() => hasPlace('open'), 'places of the test before stay taken');
    expect(await occupy('open', 100)).toBe(0);
    expect(await occupy('second', 100)).toBe(0);
    expect(await occupy('third', 50)).toBe(0);
    expect(await hasPlace('third')).toBe(false);
    expect(await hasPlace('waiting')).toBe(false);
    expect(await hasPlace('foreign')).toBe(true);
  });
});
