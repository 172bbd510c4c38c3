import { workerKey } from '@millrace/dispatch';
import { uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { gatewayForTests } from '../../testing/test-gateway';

let flowId = '';
const publishedPerUser = 250;
const request = {
  form: 'webhook',
  inputs: [],
  outputs: { by: 'type', type: 'chat' },
  tweaks: {},
  stream: false,
  sessionId: 's',
  globalVariables: {},
} as const;

const gateway = gatewayForTests();
beforeAll(async () => {
  const settings = { concurrency: 1 };
  flowId = (await gateway.flows.create(gateway.user.id, { name: 'limited', document: {}, settings })).id;
  const executor = { worker: 'a', pool: 'default', concurrency: 8, inHand: 8, isAway: false };
  await gateway.keyValue.set(workerKey('a'), JSON.stringify(executor));
}, 60_000);

async function newRun(
  changes: { readonly pool?: string; readonly isLimited?: boolean } = {},
): Promise<string> {
  const id = uuidv7();
  const ids = { id, flowId, flowVersion: 1, userId: gateway.user.id };
  const limits = { limitMilliseconds: 60_000, maximumAttempts: 3 };
  const kind = { lane: 'background', pool: 'default', origin: 'webhook', sessionId: 's', request } as const;
  await gateway.runs.admit([{ ...ids, ...limits, ...kind, ...changes }], { publishedPerUser });
  return id;
}

const waiting = async (id: string) => {
  const { status, json } = await gateway.call('GET', `/api/v1/runs/${id}/waiting`);
  expect(status).toBe(200);
  return json as { status: string; waiting: Record<string, unknown> | null };
};

test('a run says why it waits, and one that runs waits for nothing', async () => {
  const [first, second] = [await newRun({ isLimited: true }), await newRun({ isLimited: true })];
  await gateway.runs.releaseBacklog({ publishedPerUser, limit: 10 });
  const busy = { reason: 'executors_busy', text: 'All 8 slots of pool default are in use.', limit: 8 };
  expect(await waiting(first)).toMatchObject({ run_id: first, status: 'accepted', waiting: busy });
  expect(await waiting(second)).toEqual({
    run_id: second,
    status: 'accepted',
    waiting: {
      reason: 'flow_limit',
      text: 'The flow allows 1 at a time; it is 1st in line.',
      at: null,
      limit: 1,
      place: 1,
      attempt: null,
      attempts: null,
    },
  });
  await gateway.runs.claim([{ runId: first, worker: 'a', redelivered: false }]);
  expect(await waiting(first)).toMatchObject({ status: 'running', waiting: null });
  const failure = { code: 'internal', message: 'no', vertex: null, problems: [] };
  await gateway.runs.retry({ runId: first, attempt: 1, failure, pauseMilliseconds: 60_000 });
  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  expect(await waiting(first)).toMatchObject({ waiting: { reason: 'next_attempt', at, attempt: 2 } });
});

test('a run in a pool without executors names the pool; several runs are read at once', async () => {
  const [one, other] = [await newRun({ pool: 'gpu' }), await newRun({ pool: 'gpu' })];
  const foreign = uuidv7();
  const { json } = await gateway.call('GET', `/api/v1/runs/waiting?ids=${one},${other},${foreign}`);
  const { runs } = json as { runs: { run_id: string; waiting: { text: string } }[] };
  expect(runs.map(({ run_id: id }) => id).sort()).toEqual([one, other].sort());
  expect(runs[0]?.waiting).toMatchObject({
    reason: 'no_executor',
    text: 'No executor of pool gpu is connected.',
  });
});

test('an interactive run waits for an executor until one has it', async () => {
  let taken: { final: (...given: never[]) => unknown } | undefined;
  gateway.executor.handleJob = async (job) => void (taken = job as never);
  const echo = await gateway.flows.create(gateway.user.id, {
    name: 'interactive',
    document: { nodes: [{}], edges: [] },
  });
  const answer = gateway.call('POST', `/api/v1/run/${echo.id}`, { input_value: 'x' });
  await until(() => taken !== undefined);
  const { runId } = (taken as unknown as { job: { runId: string } }).job;
  expect(await waiting(runId)).toMatchObject({ status: 'running', waiting: { reason: 'executors_busy' } });
  await (taken as unknown as { final(state: string, body: object): Promise<void> }).final('succeeded', {
    session_id: 's',
    outputs: [],
  });
  await answer;
});

test('unknown runs, those of other users and malformed ids are refused as by other routes', async () => {
  const id = await newRun();
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'ann' });
  const headers = { 'x-api-key': (json as { api_key: string }).api_key };
  for (const path of [`${uuidv7()}`, id])
    expect((await gateway.call('GET', `/api/v1/runs/${path}/waiting`, undefined, headers)).status).toBe(404);
  expect((await gateway.call('GET', `/api/v1/runs/waiting?ids=${id}`, undefined, headers)).json).toEqual({
    runs: [],
  });
  for (const path of [`waiting?ids=${id}&all_users=true`, `${id}/waiting?all_users=true`])
    expect((await gateway.call('GET', `/api/v1/runs/${path}`, undefined, headers)).status).toBe(403);
  for (const query of ['', '?ids=', '?ids=x', `?ids=${Array(101).fill(id).join(',')}`, `?ids=${id}&more=1`])
    expect((await gateway.call('GET', `/api/v1/runs/waiting${query}`)).status).toBe(422);
  expect((await gateway.call('GET', '/api/v1/runs/x/waiting')).status).toBe(422);
});
