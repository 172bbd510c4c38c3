import { randomUUID } from 'node:crypto';
import { uuidv7 } from '@millrace/service';
import { openTestGateway, TEST_KEY } from '../../testing/test-gateway';
import type { TestGateway } from '../../testing/test-gateway';

let gateway: TestGateway;
let flowId: string;
beforeAll(async () => {
  gateway = await openTestGateway();
  flowId = await gateway.createFlow({
    name: 'fragile',
    endpoint_name: 'fragile',
    data: { nodes: [], edges: [] },
  });
}, 60_000);
afterAll(() => gateway.close());

const failure = { code: 'attempts_exhausted', message: 'The run was given up.', vertex: null, problems: [] };

/** Creates a dead run. */
async function deadRun(): Promise<string> {
  const id = uuidv7();
  const request = {
    form: 'webhook',
    inputs: [],
    outputs: { by: 'type', type: 'chat' },
    tweaks: {},
    stream: false,
    sessionId: 's',
    globalVariables: {},
  } as const;
  const { runs, user } = gateway;
  const place = { flowId, flowVersion: 1, userId: user.id, lane: 'background', pool: 'default' } as const;
  const limits = { limitMilliseconds: 1_000, maximumAttempts: 3 };
  await runs.accept([{ id, ...place, origin: 'webhook', request, sessionId: 's', ...limits }]);
  await runs.claim([{ runId: id, worker: 'one', redelivered: false }]);
  await runs.complete([{ runId: id, attempt: 1, status: 'dead', result: null, failure, messages: [] }]);
  return id;
}

test('dead runs are listed with their errors', async () => {
  const id = await deadRun();
  const { json } = await gateway.call('GET', `/api/v1/runs?status=dead&flow_id=${flowId}`);
  expect(json).toMatchObject({ runs: [{ id, status: 'dead', error: failure }] });
  const shown = await gateway.call('GET', `/api/v1/runs/${id}`);
  expect(shown.json).toMatchObject({ id, status: 'dead', error: failure, result: null });
});

test('a dead run is replayed once, by a run that refers to it', async () => {
  const id = await deadRun();
  const first = await gateway.call('POST', `/api/v1/runs/${id}/replay`);
  expect(first.status).toBe(202);
  const replay = (first.json as { runs: { replayed_as: string }[] }).runs[0]?.replayed_as ?? '';
  expect((await gateway.call('GET', `/api/v1/runs/${replay}`)).json).toMatchObject({
    status: 'accepted',
    replay_of: id,
  });
  const unknown = randomUUID();
  const many = await gateway.call('POST', '/api/v1/runs/replay', { runs: [id.toUpperCase(), unknown] });
  expect(many.json).toEqual({
    runs: [
      { id, replayed_as: replay },
      { id: unknown, replayed_as: null },
    ],
  });
});

test.each([
  ['POST', '/replay', 'The run is not dead, failed or timed out.'],
  ['DELETE', '', 'The run has not ended.'],
])('%s …%s is refused for a queued run, and not found for an unknown one', async (method, path, detail) => {
  const dead = await deadRun();
  const [waiting = ''] = (await gateway.runs.replay(gateway.user.id, [dead])).values();
  const refused = await gateway.call(method, `/api/v1/runs/${waiting}${path}`);
  expect([refused.status, refused.json]).toEqual([400, { detail }]);
  expect((await gateway.call(method, `/api/v1/runs/${randomUUID()}${path}`)).status).toBe(404);
});

test('keys with the scope manage delete one or all dead runs', async () => {
  const [id] = [await deadRun(), await deadRun()];
  expect((await gateway.call('DELETE', `/api/v1/runs/${id}`)).status).toBe(204);
  expect((await gateway.call('GET', `/api/v1/runs/${id}`)).status).toBe(404);
  expect((await gateway.call('DELETE', '/api/v1/runs')).status).toBe(400);
  expect((await gateway.call('DELETE', '/api/v1/runs?status=running')).status).toBe(422);
  const all = await gateway.call('DELETE', `/api/v1/runs?status=dead&flow_id=${flowId}`);
  expect((all.json as { deleted: number }).deleted).toBeGreaterThan(0);
  const { json } = await gateway.call('GET', '/api/v1/runs?status=dead');
  expect(json).toEqual({ runs: [], next_cursor: null });
});

test('another user cannot access the runs', async () => {
  const id = await deadRun();
  const made = await gateway.call(
    'POST',
    '/api/v1/users',
    { username: 'stranger' },
    { 'x-api-key': TEST_KEY },
  );
  const stranger = { 'x-api-key': (made.json as { api_key: string }).api_key };
  expect((await gateway.call('POST', `/api/v1/runs/${id}/replay`, undefined, stranger)).status).toBe(404);
  const many = await gateway.call('POST', '/api/v1/runs/replay', { runs: [id] }, stranger);
  expect(many.json).toEqual({ runs: [{ id, replayed_as: null }] });
  expect((await gateway.call('DELETE', '/api/v1/runs?status=dead', undefined, stranger)).json).toEqual({
    deleted: 0,
  });
});
