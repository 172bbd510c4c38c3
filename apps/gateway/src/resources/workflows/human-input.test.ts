import { flowData, node } from '@millrace/testing';
import { askingFlow, suspendRun } from '../../testing/asking-flow';
import { followed } from '../../testing/read-events';
import { gatewayForTests } from '../../testing/test-gateway';

const PATH = '/api/v2/workflows';
const asked = {
  kind: 'node_input',
  prompt: 'ship it?',
  options: [{ action_id: 'approve', label: 'Approve' }],
  allowed_decisions: ['approve', 'edit'],
  timeout_seconds: 60,
  fallback_action: null,
} as const;
const asking = { name: 'asking', data: askingFlow };
let waitingId = '';
const gateway = gatewayForTests();
beforeAll(async () => {
  waitingId = await gateway.createFlow({ ...asking, endpoint_name: 'asking' });
}, 60_000);
beforeEach(() => {
  gateway.executor.handleJob = (taken) =>
    suspendRun(gateway, taken, [{ request_id: `HumanInput-h:${taken.job.runId}`, ...asked }]);
});

const start = async (mode: string) => {
  const answer = await gateway.call('POST', PATH, { flow_id: waitingId, mode, session_id: 's-wait' });
  const { job_id: id } = answer.json as { job_id: string };
  return { answer, id, requestId: `HumanInput-h:${id}` };
};
const resume = (id: string, body: unknown) => gateway.call('POST', `${PATH}/${id}/resume`, body);

test('answers with its question, is listed, and can be read as a job', async () => {
  const { answer, id, requestId } = await start('sync');
  const paused_at = expect.stringMatching(/^[\d-]+T[\d:.]+\+00:00$/) as string;
  expect([answer.status, answer.json]).toMatchObject([
    200,
    { status: 'suspended', outputs: {}, human_request: { request_id: requestId, ...asked, paused_at } },
  ]);
  expect((await gateway.call('GET', `${PATH}?job_id=${id}`)).json).toMatchObject({
    object: 'job',
    status: 'suspended',
  });
  const { kind, prompt, options, allowed_decisions } = asked;
  const created_at = expect.stringMatching(/T[\d:.]+$/) as string;
  expect((await gateway.call('GET', `${PATH}/pending?flow_id=${waitingId}`)).json).toEqual([
    {
      job_id: id,
      flow_id: waitingId,
      session_id: 's-wait',
      created_at,
      request_id: requestId,
      kind,
      prompt,
      options,
      allowed_decisions,
    },
  ]);
  expect((await gateway.call('GET', `${PATH}/pending?flow_id=${crypto.randomUUID()}`)).json).toEqual([]);
  expect((await gateway.call('GET', '/api/v1/runs?status=suspended')).json).toMatchObject({
    runs: [{ id, status: 'suspended' }],
  });
});

test('is listed with all of its request, among those of all flows or alone', async () => {
  const { id, requestId } = await start('sync');
  const due_at = expect.stringMatching(/^2\d{3}-/) as string;
  const shown = { run_id: id, flow_id: waitingId, request_id: requestId, ...asked, due_at };
  const list = async (query: string) => (await gateway.call('GET', `/api/v1/pending${query}`)).json;
  expect(await list(`?run_id=${id}`)).toMatchObject({ requests: [shown] });
  const { requests } = (await list(`?flow_id=${waitingId}`)) as { requests: object[] };
  expect(requests).toContainEqual(expect.objectContaining({ run_id: id }));
  expect(await list('')).toEqual({ requests, next_cursor: null });
  const first = (await list('?limit=1')) as { requests: object[]; next_cursor: string };
  const rest = await list(`?cursor=${first.next_cursor}`);
  expect([first.requests, rest]).toEqual([
    requests.slice(0, 1),
    { requests: requests.slice(1), next_cursor: null },
  ]);
  for (const cursor of ['', 'x', first.next_cursor.slice(1)])
    expect((await gateway.call('GET', `/api/v1/pending?cursor=${cursor}`)).status).toBe(422);
  expect((await gateway.call('GET', '/api/v1/pending?limit=0')).status).toBe(422);
  expect(await list(`?run_id=${crypto.randomUUID()}`)).toEqual({ requests: [], next_cursor: null });
  expect((await gateway.call('GET', '/api/v1/pending?flow_id=x')).status).toBe(422);
});

test('goes on with one decision that it allows', async () => {
  const { id, requestId } = await start('sync');
  const approve = { request_id: requestId, decision: { action_id: 'approve' } };
  const statuses = [];
  for (const body of [
    {},
    { request_id: requestId },
    { request_id: requestId, decision: 'approve' },
    { request_id: requestId, decision: { action_id: 'Approve' } },
    { request_id: requestId, decision: { action_id: 'approve', values: 'well' } },
    { request_id: 'another', decision: { action_id: 'approve' } },
    { ...approve, calls: [0] },
    { ...approve, decision: { action_id: 'approve', call: [0] } },
    approve,
    approve,
  ])
    statuses.push((await resume(id, body)).status);
  expect(statuses).toEqual([422, 422, 422, 422, 422, 409, 422, 422, 200, 409]);
  expect((await gateway.call('GET', `${PATH}?job_id=${id}`)).json).toMatchObject({ status: 'queued' });
  const unknown = '00000000-0000-0000-0000-000000000001';
  for (const other of [unknown, 'x'])
    expect([(await resume(other, approve)).status, (await resume(other, approve)).json]).toMatchObject([
      404,
      { detail: { code: 'JOB_NOT_FOUND', job_id: other } },
    ]);
  const entries = await gateway.call('GET', `/api/v1/audit?action=run.answered`);
  expect(entries.text).toContain(id);
});

test.each([
  [
    'answered',
    'suspended',
    (id: string, requestId: string) =>
      resume(id, { request_id: requestId, decision: { action_id: 'approve' } }),
  ],
  ['cancelled', 'cancelled', (id: string) => gateway.call('POST', `${PATH}/stop`, { job_id: id })],
])('a caller whose run is %s at once after its pause is answered: %s', async (_what, status, act) => {
  const { handleJob } = gateway.executor;
  gateway.executor.handleJob = async (job) =>
    handleJob?.({
      ...job,
      final: async (...given) => {
        const { runId } = job.job;
        expect((await act(runId, `HumanInput-h:${runId}`)).status).toBe(200);
        await job.final(...given);
      },
    });
  const { answer, requestId } = await start('sync');
  expect([answer.status, answer.json]).toMatchObject([
    200,
    { status, human_request: status === 'suspended' ? { request_id: requestId } : null },
  ]);
});

/** Opens a link as a browser does, and sends its form with these fields. */
async function visit(link: string, fields?: Record<string, string>) {
  const body = fields && new URLSearchParams(fields);
  const answer = await fetch(`${gateway.url}${link}`, { ...(body && { method: 'POST', body }) });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}
const linksOf = async (id: string) => {
  const { json } = await gateway.call('GET', `/api/v1/pending?run_id=${id}&links=true`);
  const { requests } = json as { requests: { links: { form: string; actions: Record<string, string> } }[] };
  if (!requests[0]) throw new Error('no request');
  return requests[0].links;
};

test('is answered once by a link, without a key; reading the link changes nothing', async () => {
  const { id } = await start('sync');
  const { form, actions } = await linksOf(id);
  expect(await linksOf(id)).toEqual({ form, actions, expires_at: expect.any(String) as string });
  const shown = await visit(form);
  expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(shown.text).toContain('ship it?');
  const altered = form.replace(/.(?=\.)/, (end) => (end === 'A' ? 'B' : 'A'));
  const statuses = [];
  for (const [link, fields] of [
    [altered, { action_id: 'approve' }],
    ['/decide/x', { action_id: 'approve' }],
    ['/decide/a.b.c', { action_id: 'approve' }],
    [form, {}],
    [form, { action_id: 'reject' }],
    [form, { action_id: 'approve', more: '1' }],
    [actions['approve'] ?? '', { action_id: 'edit', args: '{}' }],
  ] as const)
    statuses.push((await visit(link, fields)).status);
  expect(statuses).toEqual([404, 404, 404, 422, 422, 422, 422]);
  expect((await gateway.call('GET', `${PATH}?job_id=${id}`)).json).toMatchObject({ status: 'suspended' });
  expect((await visit(actions['approve'] ?? '', {})).status).toBe(200);
  expect((await gateway.call('GET', `${PATH}?job_id=${id}`)).json).toMatchObject({ status: 'queued' });
  const late = [await visit(actions['approve'] ?? '', {}), await visit(form)];
  expect(late.map(({ status }) => status)).toEqual([409, 409]);
  const second = await resume(id, { request_id: `HumanInput-h:${id}`, decision: { action_id: 'approve' } });
  expect(second.json).toMatchObject({
    detail: {
      code: 'NOT_RESUMABLE',
      decided_by: 'decision link',
      decided_at: expect.any(String) as string,
    },
  });
  const { text } = await gateway.call('GET', '/api/v1/audit?action=run.answered&limit=1');
  expect(text).toContain(`"by":"link","decision":"approve"`);
});

test.each(['asking', 'calls asking'])('a flow that runs %p can wait, too', async (name) => {
  const file = {
    name: `calls ${name}`,
    data: flowData(
      [
        node('ChatInput-a', { input_value: '' }, 'message'),
        node(
          'RunFlow-r',
          { flow_name_selected: name, 'ChatInput-a~input_value': '' },
          'flow_outputs_message',
        ),
        node('ChatOutput-z', { input_value: '' }, 'message'),
      ],
      [
        'ChatInput-a.message > RunFlow-r.ChatInput-a~input_value',
        'RunFlow-r.flow_outputs_message > ChatOutput-z.input_value',
      ],
    ),
  };
  const flow_id = await gateway.createFlow(file);
  const answer = await gateway.call('POST', PATH, { flow_id, mode: 'sync' });
  expect(answer.json).toMatchObject({ status: 'suspended', human_request: { prompt: 'ship it?' } });
});

test('is answered by the users that its flow names, and by no others', async () => {
  const createUser = async (username: string) => {
    const { json } = await gateway.call('POST', '/api/v1/users', { username });
    return { 'x-api-key': (json as { api_key: string }).api_key };
  };
  const [named, other] = [await createUser('named'), await createUser('other')];
  const flowId = await gateway.createFlow({ ...asking, name: 'named', settings: { answeredBy: ['named'] } });
  const started = await gateway.call('POST', PATH, { flow_id: flowId, mode: 'sync' });
  const { job_id: id } = started.json as { job_id: string };
  const list = async (headers: Record<string, string>) => {
    const listed = await gateway.call('GET', `/api/v1/pending?run_id=${id}&links=true`, undefined, headers);
    return (listed.json as { requests: object[] }).requests;
  };
  expect(await list(other)).toEqual([]);
  expect(await list(named)).toMatchObject([
    { run_id: id, answered_by: ['named'], may_answer: true, links: {} },
  ]);
  const [own] = await list({});
  expect(own).toMatchObject({ answered_by: ['named'], may_answer: false });
  expect(own).not.toHaveProperty('links');
  const pending = await gateway.call('GET', `${PATH}/pending?flow_id=${flowId}`, undefined, named);
  expect(pending.json).toMatchObject([{ job_id: id }]);
  const body = { request_id: `HumanInput-h:${id}`, decision: { action_id: 'approve' } };
  const answerAs = (headers: Record<string, string>) =>
    gateway.call('POST', `${PATH}/${id}/resume`, body, headers);
  for (const path of ['', '/request', '/trace', '/messages'])
    expect((await gateway.call('GET', `/api/v1/runs/${id}${path}`, undefined, named)).status).toBe(404);
  const refused = await answerAs({});
  expect([refused.status, refused.json]).toMatchObject([403, { detail: { code: 'ANSWERED_BY_OTHERS' } }]);
  expect((await answerAs(other)).status).toBe(404);
  // A key that acts for end users does not answer for its owner.
  const app = await gateway.call('POST', '/api/v1/api_key/', { name: 'app', end_users: 'header' }, named);
  const key = (app.json as { api_key: string }).api_key;
  expect((await answerAs({ 'x-api-key': key, 'x-end-user-id': 'ann' })).status).toBe(404);
  // Nor does an end user learn who answers.
  const owners = await gateway.call('POST', '/api/v1/api_key/', { name: 'app', end_users: 'header' });
  const ann = { 'x-api-key': (owners.json as { api_key: string }).api_key, 'x-end-user-id': 'ann' };
  const begun = await gateway.call('POST', PATH, { flow_id: flowId, mode: 'sync' }, ann);
  const { job_id: annsId } = begun.json as { job_id: string };
  const annsBody = { ...body, request_id: `HumanInput-h:${annsId}` };
  expect((await gateway.call('POST', `${PATH}/${annsId}/resume`, annsBody, ann)).json).toMatchObject({
    detail: { code: 'ANSWERED_BY_OTHERS', message: 'The flow names who answers its questions.' },
  });
  // A rename changes nothing, and another user of the name gets nothing.
  const users = ['named', 'other'].map(async (name) => {
    const found = await gateway.call('GET', `/api/v1/users/?username=${name}`);
    return (found.json as { users: { id: string }[] }).users[0]?.id ?? '';
  });
  const [first, second] = await Promise.all(users);
  expect((await gateway.call('PATCH', `/api/v1/users/${first}`, { username: 'renamed' })).status).toBe(200);
  expect((await gateway.call('PATCH', `/api/v1/users/${second}`, { username: 'named' })).status).toBe(200);
  expect((await answerAs(other)).status).toBe(404);
  expect(await list({})).toMatchObject([{ answered_by: ['renamed'] }]);
  expect((await gateway.call('GET', `/api/v1/flows/${flowId}`)).json).toMatchObject({
    settings: { answeredBy: [first] },
    answered_by: ['renamed'],
  });
  expect((await answerAs(named)).status).toBe(200);
});

test('a flow that names a user who does not exist, or is deactivated, is refused with the place of the name', async () => {
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'leaves' });
  const { id: userId } = json as { id: string };
  const save = (method: string, path: string, answeredBy: readonly string[]) =>
    gateway.call(method, path, { name: 'naming', data: asking.data, settings: { answeredBy } });
  const refusal = (index: number, name: string) => ({
    status: 422,
    json: {
      detail: [
        {
          type: 'user_unknown',
          loc: ['body', 'settings', 'answeredBy', index],
          msg: `There is no active user "${name}".`,
        },
      ],
    },
  });
  const created = await save('POST', '/api/v1/flows/', ['leaves', userId, 'superusers']);
  expect([created.status, created.json]).toMatchObject([
    201,
    { settings: { answeredBy: [userId, 'superusers'] } },
  ]);
  const path = `/api/v1/flows/${(created.json as { id: string }).id}`;
  expect(await save('POST', '/api/v1/flows/', ['superusers', 'absent'])).toMatchObject(refusal(1, 'absent'));
  expect(await save('POST', '/api/v1/flows/upload/', ['absent'])).toMatchObject(refusal(0, 'absent'));
  expect(await save('PATCH', path, ['absent', userId])).toMatchObject(refusal(0, 'absent'));
  await gateway.call('PATCH', `/api/v1/users/${userId}`, { is_active: false });
  expect(await save('POST', '/api/v1/flows/', ['leaves'])).toMatchObject(refusal(0, 'leaves'));
  // A user who has left does not keep the flow from being changed.
  expect((await save('PATCH', path, ['leaves'])).status).toBe(200);
});

test('a form with a choice twice is refused, and a read-only key reads no links', async () => {
  const { id } = await start('sync');
  const { form } = await linksOf(id);
  const twice = new URLSearchParams([
    ['action_id', 'approve'],
    ['action_id', 'edit'],
  ]);
  expect((await fetch(`${gateway.url}${form}`, { method: 'POST', body: twice })).status).toBe(422);
  const created = await gateway.call('POST', '/api/v1/api_key/', { name: 'reader', access: 'read_only' });
  const headers = { 'x-api-key': (created.json as { api_key: string }).api_key };
  const read = (links: boolean) =>
    gateway.call('GET', `/api/v1/pending?run_id=${id}&links=${links}`, undefined, headers);
  expect([(await read(true)).status, (await read(false)).status]).toEqual([403, 200]);
});

test('shows hostile texts of a request as text', async () => {
  const request = { ...asked, request_id: 'r', prompt: '<script>alert(1)</script>' };
  gateway.executor.handleJob = (taken) => suspendRun(gateway, taken, [request]);
  const { id } = await start('sync');
  expect((await visit((await linksOf(id)).form)).text).toContain('&lt;script&gt;');
});

test('has links that expire, and that a cancelled run closes', async () => {
  const { id } = await start('sync');
  const { form } = await linksOf(id);
  const days = `UPDATE human_requests SET paused_at = now() - interval '8 days' WHERE run_id = $1`;
  await gateway.database.query({ text: days, values: [id] });
  const old = (await linksOf(id)).form;
  const answers = [await visit(old), await visit(old, { action_id: 'approve' })];
  expect(answers.map(({ status }) => status)).toEqual([410, 410]);
  await gateway.call('POST', `${PATH}/stop`, { job_id: id });
  expect((await visit(form, { action_id: 'approve' })).status).toBe(409);
});

test('ends a stream with its question, and is stopped', async () => {
  const body = { flow_id: waitingId, mode: 'stream' };
  const { events, runId } = await followed(gateway.url, PATH, { body });
  expect(events.map(({ event }) => event)).toEqual(['human_input_required']);
  const stopped = await gateway.call('POST', `${PATH}/stop`, { job_id: runId });
  expect(stopped.json).toMatchObject({ message: `Job ${runId} cancelled successfully.` });
  expect((await resume(runId ?? '', { request_id: 'x', decision: {} })).status).toBe(409);
});

test('keeps a caller of another route from waiting', async () => {
  const headers = { 'idempotency-key': 'asked' };
  const answer = await gateway.call('POST', '/api/v1/run/asking', { input_value: 'x' }, headers);
  expect([answer.status, answer.json]).toMatchObject([202, { status: 'in progress' }]);
});
