import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuidv7 } from '@millrace/service';
import { recordingLogger } from '@millrace/service/testing';
import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';

const ECHO = JSON.parse(readFileSync(join(__dirname, '../../../../../examples/echo.json'), 'utf8')) as Record<
  string,
  unknown
>;
const REQUEST = {
  form: 'webhook',
  inputs: [],
  outputs: { by: 'type', type: 'chat' },
  tweaks: {},
  stream: false,
  sessionId: 's',
  globalVariables: {},
} as const;
const LIMITS = { limitMilliseconds: 1_000, maximumAttempts: 3, lane: 'background' } as const;

let flowId: string;
/** A user who is no admin, and their flow. */
let stranger: { readonly key: string; readonly id: string; readonly flowId: string };
const logger = recordingLogger();
const gateway = gatewayForTests({ logger });
beforeAll(async () => {
  flowId = await gateway.createFlow({ name: 'own', data: { nodes: [], edges: [] } });
  const user = (await gateway.call('POST', '/api/v1/users', { username: 'stranger' })).json as {
    readonly id: string;
    readonly api_key: string;
  };
  const flow = await gateway.call(
    'POST',
    '/api/v1/flows/',
    { name: 'foreign', data: { nodes: [], edges: [] } },
    { 'x-api-key': user.api_key },
  );
  stranger = { key: user.api_key, id: user.id, flowId: (flow.json as { id: string }).id };
}, 60_000);

/** Stores a run; it ends with the failure, or waits without one. */
async function storeRun(
  owner: { readonly userId: string; readonly flowId: string },
  { code, sessionId = 's' }: { readonly code?: string; readonly sessionId?: string } = {},
): Promise<string> {
  const id = uuidv7();
  const place = { ...owner, flowVersion: 1, pool: 'default', origin: 'webhook' } as const;
  await gateway.runs.accept([{ id, ...place, ...LIMITS, request: REQUEST, sessionId }]);
  if (code === undefined) return id;
  const vertex = { id: 'Prompt-1', displayName: 'Prompt', type: 'Prompt' };
  const failure = { code, message: 'it failed', vertex, problems: [] };
  await gateway.runs.claim([{ runId: id, worker: 'one', redelivered: false }]);
  await gateway.runs.complete([
    { runId: id, attempt: 1, status: 'failed', result: null, failure, messages: [] },
  ]);
  return id;
}
const ownRun = (changes?: Parameters<typeof storeRun>[1]) =>
  storeRun({ userId: gateway.user.id, flowId }, changes);
const foreignRun = (changes?: Parameters<typeof storeRun>[1]) =>
  storeRun({ userId: stranger.id, flowId: stranger.flowId }, changes);
const list = (query: string, key?: string) =>
  gateway.call('GET', `/api/v1/runs?${query}`, undefined, key ? { 'x-api-key': key } : {});
const idsOf = ({ json }: Answer) => (json as { runs: { id: string }[] }).runs.map(({ id }) => id);
const bulk = (body: object, key?: string) =>
  gateway.call('POST', '/api/v1/runs/bulk', body, key ? { 'x-api-key': key } : {});

describe('lists of runs', () => {
  test('select by every parameter', async () => {
    const id = await ownRun({ code: 'flow_refused', sessionId: 'talk' });
    const parameters = [
      `flow_id=${flowId}&flow_version=1&status=failed,dead`,
      'session_id=talk',
      'error_code=flow_refused',
      'vertex_id=Prompt-1',
      'origin=webhook&pool=default&status=failed',
      'accepted_from=2020-01-01T00:00:00Z&status=failed',
      `accepted_before=${Math.ceil(Date.now() / 1000) + 60}&status=failed`,
      `user_id=${gateway.user.id}&status=failed`,
    ];
    for (const query of parameters) expect([query, idsOf(await list(query))]).toEqual([query, [id]]);
    const nothing = [
      'status=succeeded',
      'session_id=x',
      'error_code=x',
      'vertex_id=x',
      'origin=advanced',
      'pool=x',
    ];
    for (const query of [...nothing, `flow_id=${flowId}&flow_version=2`, 'accepted_before=2020-01-01'])
      expect([query, idsOf(await list(query))]).toEqual([query, []]);
  });

  test('select by the API key that asked for runs which were stored before they started', async () => {
    const echo = await gateway.createFlow(ECHO);
    const created = await gateway.call('POST', '/api/v1/api_key/', { name: 'asking', scopes: ['run'] });
    const { id, api_key: key } = created.json as { id: string; api_key: string };
    const run = async (headers: Record<string, string>) => {
      const answer = await gateway.call('POST', `/api/v1/run/${echo}`, { input_value: 'x' }, headers);
      return [answer.status, answer.headers.get('x-run-id')];
    };
    const [accepted, first] = await run({ 'x-api-key': key, prefer: 'respond-async' });
    const [answered, second] = await run({ 'x-api-key': key, 'idempotency-key': 'once' });
    const [ofAnother] = await run({ prefer: 'respond-async' });
    expect([accepted, answered, ofAnother]).toEqual([202, 200, 202]);
    expect(idsOf(await list(`key_id=${id}`))).toEqual([second, first]);
    expect(idsOf(await list(`key_id=${uuidv7()}`))).toEqual([]);
  });

  test('are continued by their cursor', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await ownRun({ sessionId: 'pages' }));
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer = await list(`session_id=pages&limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...idsOf(page));
      cursor = (page.json as { next_cursor: string | null }).next_cursor;
    }
    expect(seen).toEqual(ids.toReversed());
  });

  test.each([
    ['status=over', 422],
    ['status=failed,', 422],
    ['origin=x', 422],
    ['accepted_from=soon', 422],
    ['cursor=x', 422],
    ['key_id=x', 422],
    ['flow_version=1', 400],
    ['flow_id=x&user_id=y', 422],
  ])('refuse %s', async (query, status) => {
    expect((await list(query)).status).toBe(status);
  });

  test('show the runs of others to admins only', async () => {
    const [own, foreign] = [await ownRun({ code: 'deadlocked' }), await foreignRun({ code: 'deadlocked' })];
    const query = 'error_code=deadlocked';
    expect(idsOf(await list(query))).toEqual([own]);
    expect(idsOf(await list(`${query}&all_users=true`))).toEqual([foreign, own]);
    expect(idsOf(await list(`${query}&user_id=${stranger.id}`))).toEqual([foreign]);
    expect(idsOf(await list(query, stranger.key))).toEqual([foreign]);
    expect(idsOf(await list(`${query}&user_id=${stranger.id}`, stranger.key))).toEqual([foreign]);
    for (const others of ['all_users=true', `user_id=${gateway.user.id}`]) {
      const refused = await list(`${query}&${others}`, stranger.key);
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'permission_denied']);
    }
  });

  test('name user and flow, and the flow of another user is read by admins only', async () => {
    const id = await foreignRun({ code: 'named' });
    const names = { id, username: 'stranger', flow_name: 'foreign', trigger: null };
    expect((await list('error_code=named&all_users=true')).json).toMatchObject({ runs: [names] });
    expect((await gateway.call('GET', `/api/v1/runs/${id}?all_users=true`)).json).toMatchObject(names);
    const version = `/api/v1/flows/${stranger.flowId}/versions/1`;
    const read = async (query: string, key?: string) =>
      (await gateway.call('GET', version + query, undefined, key ? { 'x-api-key': key } : {})).status;
    expect(await read('')).toBe(404);
    expect(await read(`?user_id=${stranger.id}`)).toBe(200);
    expect(await read(`?user_id=${stranger.id}`, stranger.key)).toBe(200);
    expect(await read(`?user_id=${gateway.user.id}`, stranger.key)).toBe(403);
  });

  test('need an admin’s key with the scope of admins for the runs of others', async () => {
    const created = await gateway.call('POST', '/api/v1/api_key/', { name: 'runs only', scopes: ['run'] });
    const { api_key: key } = created.json as { api_key: string };
    expect((await list('limit=1', key)).status).toBe(200);
    expect((await list('all_users=true', key)).status).toBe(403);
  });
});

describe('actions on many runs', () => {
  test('are counted first, and reach no more runs than were counted', async () => {
    const filter = { session_id: 'bulk', status: ['accepted'] };
    const ids = [await ownRun({ sessionId: 'bulk' }), await ownRun({ sessionId: 'bulk' })];
    await foreignRun({ sessionId: 'bulk' });
    const counted = await bulk({ action: 'cancel', filter, dry_run: true });
    expect(counted.json).toEqual({
      action: 'cancel',
      dry_run: true,
      count: 2,
      complete: true,
      token: expect.any(String),
    });
    const { token } = counted.json as { token: string };
    const later = await ownRun({ sessionId: 'bulk' });
    const answer = await bulk({ action: 'cancel', filter, token });
    expect(answer.json).toEqual({
      action: 'cancel',
      dry_run: false,
      count: 2,
      token: null,
      runs: ids.map((id) => ({ id, replayed_as: null })),
    });
    expect(idsOf(await list('session_id=bulk&status=cancelled'))).toEqual(ids.toReversed());
    expect(idsOf(await list('session_id=bulk&status=accepted'))).toEqual([later]);
    const of = { userId: gateway.user.id, requestId: expect.any(String) };
    expect(logger.fieldsOf('runs changed by filter')).toEqual([{ ...of, action: 'cancel', runs: 2 }]);
  });

  test('replay failed runs with the version that is asked for', async () => {
    const id = await ownRun({ code: 'output_too_large' });
    await gateway.call('PATCH', `/api/v1/flows/${flowId}`, { data: { nodes: [], edges: [], changed: true } });
    const body = { action: 'replay', filter: { error_code: 'output_too_large' }, version: 'same' };
    const { token } = (await bulk({ ...body, dry_run: true })).json as { token: string };
    const { runs } = (await bulk({ ...body, token })).json as { runs: { id: string; replayed_as: string }[] };
    expect(runs).toEqual([{ id, replayed_as: expect.any(String) }]);
    const replay = await gateway.call('GET', `/api/v1/runs/${runs[0]?.replayed_as}`);
    expect(replay.json).toMatchObject({ replay_of: id, flow_version: 1 });
    expect((await bulk({ ...body, dry_run: true })).json).toMatchObject({ count: 0, token: null });
  });

  test('continue with the token of each answer until all are reached', async () => {
    const owner = { userId: gateway.user.id, flowId };
    const place = {
      ...owner,
      flowVersion: 1,
      pool: 'default',
      origin: 'webhook',
      sessionId: 'many',
    } as const;
    const many = Array.from({ length: 1_200 }, () => ({
      id: uuidv7(),
      ...place,
      ...LIMITS,
      request: REQUEST,
    }));
    await gateway.runs.accept(many);
    const body = { action: 'cancel', filter: { session_id: 'many' } };
    let token = ((await bulk({ ...body, dry_run: true })).json as { token: string | null }).token;
    const counts: number[] = [];
    while (token !== null) {
      const answer = (await bulk({ ...body, token })).json as { count: number; token: string | null };
      counts.push(answer.count);
      ({ token } = answer);
    }
    expect(counts).toEqual([1_000, 200]);
    expect((await bulk({ ...body, dry_run: true })).json).toMatchObject({ count: 0 });
  });

  test('refuse a missing token, one of another filter, and statuses that cannot match', async () => {
    await ownRun({ sessionId: 'refused' });
    const body = { action: 'cancel', filter: { session_id: 'refused' } };
    const { token } = (await bulk({ ...body, dry_run: true })).json as { token: string };
    for (const wrong of [
      body,
      { ...body, token: 'x' },
      { ...body, token, filter: {} },
      { ...body, token, action: 'replay' },
      { ...body, version: 'same', dry_run: true },
      { ...body, filter: { status: ['failed'] }, dry_run: true },
      { ...body, filter: { flow_version: 1 }, dry_run: true },
    ]) {
      const answer = await bulk(wrong);
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([400, 'invalid_value']);
    }
    expect((await bulk({ ...body, filter: { flow: 'x' }, dry_run: true })).status).toBe(422);
    expect(idsOf(await list('session_id=refused&status=accepted'))).toHaveLength(1);
  });

  test('reach the runs of others for admins only', async () => {
    const foreign = await foreignRun({ sessionId: 'across' });
    const body = { action: 'cancel', filter: { session_id: 'across', all_users: true } };
    expect((await bulk({ ...body, dry_run: true }, stranger.key)).status).toBe(403);
    const own = { action: 'cancel', filter: { session_id: 'across' } };
    expect((await bulk({ ...own, dry_run: true })).json).toMatchObject({ count: 0 });
    const { token } = (await bulk({ ...body, dry_run: true })).json as { token: string };
    expect((await bulk({ ...body, token }, stranger.key)).status).toBe(403);
    expect((await bulk({ ...body, token })).json).toMatchObject({ runs: [{ id: foreign }] });
  });
});

test('a replay of the same version is refused when the version no longer exists', async () => {
  const id = await ownRun({ code: 'internal' });
  await gateway.database.query({
    text: 'UPDATE runs SET flow_version = 99 WHERE id = $1',
    values: [id],
  });
  const refused = await gateway.call('POST', `/api/v1/runs/${id}/replay?version=same`);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'invalid_value']);
  const many = await gateway.call('POST', '/api/v1/runs/replay', { runs: [id], version: 'same' });
  expect(many.json).toEqual({ runs: [{ id, replayed_as: null }] });
  expect((await gateway.call('POST', `/api/v1/runs/${id}/replay?version=newest`)).status).toBe(422);
  expect((await gateway.call('POST', `/api/v1/runs/${id}/replay?version=current`)).status).toBe(202);
});
