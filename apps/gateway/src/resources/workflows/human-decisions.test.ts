import type { HumanRequest } from '@millrace/flow';
import { askingFlow, suspendRun } from '../../testing/asking-flow';
import { gatewayForTests } from '../../testing/test-gateway';

const PATH = '/api/v2/workflows';
const question = (request_id: string, ...choices: readonly string[]): HumanRequest => ({
  request_id,
  kind: 'node_input',
  prompt: 'ship it?',
  options: choices.map((action_id) => ({ action_id, label: action_id })),
  allowed_decisions: choices,
  timeout_seconds: 60,
  fallback_action: null,
});
const schema = (name: string) => ({ properties: { [name]: { type: 'integer' } }, required: [name] });
const call = (name: string) => ({ name, args: {}, description: name });
const approval: HumanRequest = {
  ...question('r', 'approve', 'edit', 'reject', 'respond'),
  kind: 'tool_approval',
  action_requests: [call('one'), call('two')],
  arguments_schemas: [schema('a'), schema('b')],
};
let flowId = '';
const gateway = gatewayForTests();
beforeAll(async () => {
  flowId = await gateway.createFlow({ name: 'asking', data: askingFlow });
}, 60_000);

/** Resolves to the id of a run that asks this. */
async function asking(...requests: readonly HumanRequest[]): Promise<string> {
  gateway.executor.handleJob = (taken) => suspendRun(gateway, taken, requests);
  const { json } = await gateway.call('POST', PATH, { flow_id: flowId, mode: 'sync' });
  return (json as { job_id: string }).job_id;
}
const resume = (id: string, body: unknown) => gateway.call('POST', `${PATH}/${id}/resume`, body);

test('takes a decision about some calls, whose changed arguments fit the schema of the first of them', async () => {
  const id = await asking(approval);
  const edit = (calls: unknown, args: object) =>
    resume(id, { request_id: 'r', decision: { action_id: 'edit', values: { args }, calls } });
  const statuses = [];
  for (const calls of [[], [2], [-1], [0, 0], ['0'], 1]) statuses.push((await edit(calls, { b: 1 })).status);
  statuses.push((await edit([1], { a: 1 })).status, (await edit(null, { b: 1 })).status);
  for (const [action_id, values] of [
    ['approve', { args: { b: 1 } }],
    ['approve', { message: 5 }],
  ] as const)
    statuses.push((await resume(id, { request_id: 'r', decision: { action_id, values } })).status);
  expect(new Set(statuses)).toEqual(new Set([422]));
  expect((await edit([1], { b: 1 })).status).toBe(200);
  expect((await edit([1], { b: 1 })).status).toBe(409);
  const { decisions } = await gateway.runs.resumption(id);
  expect(decisions.get('r')).toMatchObject({ action_id: 'edit', calls: [1] });
  const { text } = await gateway.call('GET', '/api/v1/audit?action=run.answered&limit=1');
  expect(text).toContain('"calls":"1"');
});

test.each([
  ['approve', { args: { a: 1 } }, 'decision.values.args is not for approve.'],
  ['approve', { a: 1 }, 'decision.values.a is not for approve.'],
  ['approve', { constructor: 'x' }, 'decision.values.constructor is not for approve.'],
  ['approve', { message: 'no, too risky' }, 'decision.values.message is not for approve.'],
  ['reject', { reason: 'too risky' }, 'decision.values.reason is not for reject.'],
  ['reject', { response: 'x' }, 'decision.values.response is not for reject.'],
  ['respond', { mesage: 'x' }, 'decision.values.mesage is not for respond.'],
  ['respond', { response: 5 }, 'decision.values.response is not a text.'],
  ['respond', {}, 'decision.values.message is missing.'],
  ['edit', {}, 'decision.values.args is missing.'],
  ['edit', { args: null }, 'decision.values.args is not an object.'],
  ['edit', { args: '2+3' }, 'decision.values.args is not an object.'],
  ['edit', { args: { a: 1 }, message: 'x' }, 'decision.values.message is not for edit.'],
  ['edit', { args: { a: 'x' } }, 'The argument "a" does not fit {"type":"integer"}.'],
])(
  'an approval with the decision %p and the values %p is refused: %s',
  async (action_id, values, message) => {
    const id = await asking(approval);
    const answer = await resume(id, { request_id: 'r', decision: { action_id, values } });
    expect([answer.status, answer.json]).toMatchObject([
      422,
      { detail: { code: 'INVALID_DECISION', message } },
    ]);
  },
);

test.each([
  ['approve', { message: '', args: null }, {}],
  ['reject', { message: 'too risky', response: null }, { message: 'too risky' }],
  ['respond', { message: '' }, {}],
  ['respond', { response: 'x' }, { message: 'x' }],
  ['edit', { a: 1 }, { args: { a: 1 } }],
  ['edit', { args: { a: 1 }, message: '' }, { args: { a: 1 } }],
])('an approval takes the decision %p with the values %p, and keeps %p', async (action_id, values, kept) => {
  const id = await asking(approval);
  const answer = await resume(id, { request_id: 'r', decision: { action_id, values } });
  expect(answer.status).toBe(200);
  expect((await gateway.runs.resumption(id)).decisions.get('r')).toEqual({ action_id, values: kept });
});

async function formOf(id: string): Promise<string> {
  const { json } = await gateway.call('GET', `/api/v1/pending?run_id=${id}&links=true`);
  const { requests } = json as { requests: readonly { links: { form: string } }[] };
  return `${gateway.url}${requests[0]?.links.form ?? ''}`;
}

test('a question can have a choice with the name of an approval: its link asks for no arguments', async () => {
  const id = await asking(question('r', 'edit', 'respond'));
  const form = await formOf(id);
  expect(await (await fetch(form)).text()).not.toContain('<textarea');
  const body = new URLSearchParams({ action_id: 'edit' });
  expect((await fetch(form, { method: 'POST', body })).status).toBe(200);
  expect((await gateway.runs.resumption(id)).decisions.get('r')).toEqual({ action_id: 'edit', values: {} });
  const { text } = await gateway.call('GET', '/api/v1/audit?action=run.answered&limit=1');
  expect(text).not.toContain('"after"');
});

test('a link opens with the parameters that a service of mail adds, and takes no answer from its address', async () => {
  const form = await formOf(await asking(question('r', 'approve', 'reject')));
  const body = new URLSearchParams({ action_id: 'approve' });
  const statusOf = async (query: string, method: string) =>
    (await fetch(`${form}?${query}`, method === 'POST' ? { method, body } : {})).status;
  expect(await statusOf('action_id=reject', 'GET')).toBe(422);
  expect(await statusOf('action_id=reject', 'POST')).toBe(422);
  expect(await statusOf('utm_source=mail', 'GET')).toBe(200);
  expect(await statusOf('utm_source=mail', 'POST')).toBe(200);
});

test('a link refuses what is no form, arguments that are no object, and a response without a text, and says so', async () => {
  const form = await formOf(await asking(approval));
  const sent = async (body: Blob | URLSearchParams) => {
    const answer = await fetch(form, { method: 'POST', body });
    return [answer.status, await answer.text()];
  };
  const json = new Blob(['{"action_id":"approve"}'], { type: 'application/json' });
  expect(await sent(json)).toEqual([422, expect.stringContaining('x-www-form-urlencoded')]);
  expect(await sent(new URLSearchParams({ action_id: 'edit', args: '[]' }))).toEqual([
    422,
    expect.stringContaining('The arguments are no JSON object.'),
  ]);
  const nested = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  expect(await sent(new URLSearchParams({ action_id: 'edit', args: nested }))).toEqual([
    422,
    expect.stringContaining('The arguments are no JSON object.'),
  ]);
  expect(await sent(new URLSearchParams({ action_id: 'respond', args: '{}' }))).toEqual([
    422,
    expect.stringContaining('Enter the message'),
  ]);
});

test('an answer to one of two questions waits while the run goes on with the other answer', async () => {
  const [first, second] = [question('a', 'approve'), question('b', 'approve')];
  const id = await asking(first, second);
  const decide = (request_id: string) => resume(id, { request_id, decision: { action_id: 'approve' } });
  expect((await decide('a')).status).toBe(200);
  const late = decide('b');
  await gateway.runs.releaseBacklog({ publishedPerUser: 0, limit: 500 });
  await gateway.runs.claim([{ runId: id, worker: 'test', redelivered: false }]);
  await gateway.runs.suspend({ runId: id, attempt: 2, results: '{}', requests: [second], messages: [] });
  expect((await late).status).toBe(200);
  const { decisions } = await gateway.runs.resumption(id);
  expect([...decisions.keys()]).toEqual(expect.arrayContaining(['a', 'b']));
});

test('an answer that another one keeps waiting for too long is refused with the reason, and so is a late one', async () => {
  const id = await asking(question('a', 'approve'), question('b', 'approve'), question('c', 'approve'));
  const form = await formOf(id);
  const decide = (request_id: string) => resume(id, { request_id, decision: { action_id: 'approve' } });
  // The run waits for its turn with this answer: the form is about the first question.
  expect((await decide('b')).status).toBe(200);
  const refused = (reason: string) => ({ status: 409, json: { detail: { code: 'NOT_RESUMABLE', reason } } });
  const byLink = fetch(form, { method: 'POST', body: new URLSearchParams({ action_id: 'approve' }) });
  expect(await decide('c')).toMatchObject(refused('goes_on'));
  const page = await byLink;
  expect([page.status, await page.text()]).toEqual([
    409,
    expect.stringContaining('<h1>The run goes on</h1>'),
  ]);
  expect(await decide('b')).toMatchObject(refused('answered'));
  expect(await decide('x')).toMatchObject(refused('not_asked'));
  await gateway.call('POST', `${PATH}/stop`, { job_id: id });
  expect(await decide('c')).toMatchObject(refused('ended'));
});

test('a list of a flow that is cut names its next page in the header Link', async () => {
  await asking(...Array.from({ length: 1_001 }, (_, n) => question(`q${n}`, 'approve')));
  const list = (path: string) => gateway.call('GET', path);
  const cut = await list(`${PATH}/pending?flow_id=${flowId}`);
  expect(cut.json).toHaveLength(1_000);
  const [, next = ''] = /^<(.*)>; rel="next"$/.exec(cut.headers.get('link') ?? '') ?? [];
  const rest = (await list(next)).json as { requests: object[]; next_cursor: string | null };
  expect([rest.requests.length > 0, rest.next_cursor]).toEqual([true, null]);
  const other = await list(`${PATH}/pending?flow_id=${crypto.randomUUID()}`);
  expect([other.json, other.headers.get('link')]).toEqual([[], null]);
});

test('a run that was not answered in time says so when it is read as a job', async () => {
  const id = await asking(question('r', 'approve'));
  const past = `UPDATE human_requests SET due_at = now() - interval '1 second' WHERE run_id = $1`;
  await gateway.database.query({ text: past, values: [id] });
  await gateway.runs.expireHumanRequests(500);
  const answer = await gateway.call('GET', `${PATH}?job_id=${id}`);
  expect([answer.status, answer.json]).toMatchObject([
    408,
    { detail: { message: 'The request for human input was not answered in its time.' } },
  ]);
});
