import type { HumanRequest } from '@millrace/flow';
import { askingFlow, suspendRun } from '../../testing/asking-flow';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

const question: HumanRequest = {
  request_id: 'q',
  kind: 'node_input',
  prompt: 'ship it?',
  options: [{ action_id: 'approve', label: 'approve' }],
  allowed_decisions: ['approve'],
  timeout_seconds: 60,
  fallback_action: null,
};
const gateway = gatewayForTests();
let team: Tenant;
let guest: { readonly id: string; readonly key: string };
beforeAll(async () => {
  team = await makeTenant(gateway, 'team');
  guest = await makeUser('guest');
}, 60_000);
afterEach(() => {
  gateway.executor.handleJob = null;
});

async function makeUser(username: string) {
  const { json } = await gateway.call('POST', '/api/v1/users', { username });
  const { id, api_key: key } = json as { readonly id: string; readonly api_key: string };
  return { id, key };
}

const asGuest = (method: string, path: string, body?: unknown, project: string | null = team.ids.project) =>
  gateway.call(method, `/api/v1${path}`, body, {
    'x-api-key': guest.key,
    ...(project !== null && { 'x-millrace-project': project }),
  });
const share = (
  body: object,
  { tenant = team, user = guest.id } = {},
  { project }: Pick<Tenant['ids'], 'project'> = tenant.ids,
) => tenant.call('PUT', `/api/v1/members/${project}/${user}`, body);

/** Resolves to a flow of the project, and to a run of it that waits for an answer. */
async function asking(name: string, answeredBy: readonly string[] | null) {
  const made = await team.call('POST', '/api/v1/flows/', {
    name,
    data: askingFlow,
    folder_id: team.ids.project,
    settings: answeredBy ? { answeredBy } : {},
  });
  expect(made.status).toBe(201);
  const { id: flow } = made.json as { readonly id: string };
  gateway.executor.handleJob = (taken) => suspendRun(gateway, taken, [question]);
  const { json } = await team.call('POST', '/api/v2/workflows', { flow_id: flow, mode: 'sync' });
  return { flow, run: (json as { readonly job_id: string }).job_id };
}

test('no member reads links that answer', async () => {
  const { flow, run } = await asking('linked', null);
  for (const body of [{ role: 'viewer', payloads: true }, { role: 'operator' }]) {
    await share(body);
    const refused = await asGuest('GET', `/pending?flow_id=${flow}&links=true`);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('no links')]);
    const { json } = await asGuest('GET', `/pending?flow_id=${flow}`);
    expect(json).toMatchObject({ requests: [{ run_id: run, may_answer: true }] });
  }
});

test('an operator answers for the project, but not a flow that names who answers', async () => {
  await share({ role: 'operator' });
  const body = { request_id: 'q', decision: { action_id: 'approve' } };
  const answer = (run: string) =>
    gateway.call('POST', `/api/v2/workflows/${run}/resume`, body, {
      'x-api-key': guest.key,
      'x-millrace-project': team.ids.project,
    });
  const [free, named] = [await asking('free', null), await asking('named', ['team'])];
  expect((await answer(free.run)).status).toBe(200);
  const mayAnswer = { requests: [{ may_answer: true, answered_by: ['team'] }] };
  const path = `/pending?flow_id=${named.flow}`;
  expect((await asGuest('GET', path)).json).toMatchObject({ requests: [{ may_answer: false }] });
  expect((await team.call('GET', `/api/v1${path}`)).json).toMatchObject(mayAnswer);
  const { status, json } = await answer(named.run);
  expect([status, json]).toMatchObject([403, { detail: { code: 'ANSWERED_BY_OTHERS' } }]);
  expect((await team.call('POST', `/api/v2/workflows/${named.run}/resume`, body)).status).toBe(200);
});

test('a viewer without payloads sees no sessions, also of a run without a record', async () => {
  const body = { input_value: 'x', session_id: 'alice::1' };
  const seen = async (payloads: boolean, ...paths: readonly string[]) => {
    await share({ role: 'viewer', payloads });
    const answers = await Promise.all(paths.map((path) => asGuest('GET', path)));
    return answers.map(({ status, text }) => [status, text.includes(body.session_id)]);
  };
  const unrecorded: unknown[] = [];
  gateway.executor.handleJob = async ({ job: { runId }, final }) => {
    for (const payloads of [false, true]) unrecorded.push(...(await seen(payloads, `/runs/${runId}`)));
    await final('succeeded', { session_id: body.session_id, outputs: [] });
  };
  const start = () => team.call('POST', `/api/v1/run/${team.ids.flow}`, body);
  await start();
  expect(unrecorded).toEqual([
    [200, false],
    [200, true],
  ]);
  gateway.executor.handleJob = null;
  const run = (await start()).headers.get('x-run-id') ?? '';
  const paths = [`/runs/${run}`, `/runs?flow_id=${team.ids.flow}`];
  const filtered = `${paths[1]}&session_id=${body.session_id}`;
  expect(await seen(false, ...paths, filtered)).toEqual([
    [200, false],
    [200, false],
    [403, false],
  ]);
  expect(await seen(true, ...paths, filtered)).toEqual([
    [200, true],
    [200, true],
    [200, true],
  ]);
});

test('a user leaves a project', async () => {
  await share({ role: 'viewer' });
  expect((await asGuest('GET', `/runs/${team.ids.run}`)).status).toBe(200);
  const leave = () => asGuest('DELETE', `/memberships/${team.ids.project}`, undefined, null);
  expect((await leave()).status).toBe(204);
  const [entry] = await gateway.audit.list({ limit: 1 });
  expect(entry).toMatchObject({
    action: 'project.unshared',
    userId: guest.id,
    objectId: team.ids.project,
    detail: JSON.stringify({ user_id: guest.id }),
  });
  expect((await asGuest('GET', `/runs/${team.ids.run}`)).status).toBe(403);
  expect([(await leave()).status, (await leave()).text]).toEqual([404, '{"detail":"Member not found"}']);
});

test('a project with the id of an older one of another user gets no members, and does not stop those of the older one', async () => {
  await share({ role: 'viewer' });
  const [thief, newcomer] = [await makeTenant(gateway, 'thief'), await makeUser('newcomer')];
  const project = team.ids.project;
  await thief.call('PUT', `/api/v1/projects/${project}`, { name: 'same id' });
  const { status, text } = await share({ role: 'viewer' }, { tenant: thief, user: newcomer.id }, { project });
  expect([status, text]).toEqual([409, '{"detail":"An older project of another user has this id."}']);
  const own = await share({ role: 'viewer' }, { tenant: team, user: newcomer.id }, { project });
  expect(own.status).toBe(200);
  expect((await share({ role: 'operator' })).status).toBe(200);
});

test.each(['project', 'user'])('the members of a %s that is deleted are stopped first', async (kind) => {
  const tenant = await makeTenant(gateway, `leaving-${kind}`);
  const { project, flow, run } = tenant.ids;
  await share({ role: 'operator' }, { tenant });
  const read = () => asGuest('GET', `/runs/${run}`, undefined, project);
  expect((await read()).status).toBe(200);
  // The deletion of the flow fails.
  await gateway.database.query({ text: 'CREATE TABLE IF NOT EXISTS kept (id uuid REFERENCES flows)' });
  await gateway.database.query({ text: 'INSERT INTO kept VALUES ($1)', values: [flow] });
  const { id } = (await tenant.call('GET', '/api/v1/users/whoami')).json as { readonly id: string };
  const path = kind === 'user' ? `/api/v1/users/${id}` : `/api/v1/projects/${project}`;
  const remove = () => (kind === 'user' ? gateway.call('DELETE', path) : tenant.call('DELETE', path));
  expect((await remove()).status).toBeGreaterThanOrEqual(400);
  expect((await read()).status).toBe(403);
  await gateway.database.query({ text: 'DROP TABLE kept' });
  expect((await remove()).status).toBeLessThan(300);
});
