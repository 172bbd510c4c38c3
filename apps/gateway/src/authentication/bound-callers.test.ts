import { makeTenant } from '../testing/tenant';
import type { Tenant } from '../testing/tenant';
import { gatewayForTests } from '../testing/test-gateway';

const UNKNOWN = '00000000-0000-4000-8000-00000000000e';
const callers = ['a key for the project', 'an operator of the project'] as const;
const headers = new Map<string, Record<string, string>>();
let own: Tenant;
let other: Tenant;

const gateway = gatewayForTests();
beforeAll(async () => {
  own = await makeTenant(gateway, 'own');
  other = await makeTenant(gateway, 'other', own.key);
  const made = await own.call('POST', '/api/v1/api_key/', { projects: [own.ids.project] });
  headers.set(callers[0], { 'x-api-key': (made.json as { readonly api_key: string }).api_key });
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'guest' });
  const guest = json as { readonly id: string; readonly api_key: string };
  headers.set(callers[1], { 'x-api-key': guest.api_key, 'x-millrace-project': own.ids.project });
  await own.call('PUT', `/api/v1/members/${own.ids.project}/${guest.id}`, { role: 'operator' });
  for (const name of ['NAMED', 'PRIVATE'])
    await own.call('POST', '/api/v1/variables/', {
      name,
      value: 'x',
      type: 'Credential',
      default_fields: [],
    });
}, 60_000);

const run = (caller: string, flow: string, further: Record<string, string> = {}) =>
  gateway.call('POST', `/api/v1/run/${flow}`, { input_value: 'x' }, { ...headers.get(caller), ...further });

test('a request uses up no limit of a flow outside the bounds of its caller', async () => {
  const limit = `/api/v1/limits/flows/${other.ids.flow}`;
  expect((await own.call('PUT', limit, { requests_per_second: 0.01 })).status).toBe(200);
  for (const caller of callers)
    for (const flow of [other.ids.flow, other.ids.endpoint, UNKNOWN]) {
      const answer = await run(caller, flow);
      expect([answer.status, answer.headers.get('ratelimit')]).toEqual([404, null]);
    }
  expect((await own.call('POST', `/api/v1/run/${other.ids.flow}`, {})).status).toBe(200);
  await own.call('PUT', limit, { requests_per_second: null });
});

test.each(callers)('%s signs callbacks with secrets of the flow only', async (caller) => {
  const settings = { callbacks: [{ url: 'https://receiver.test/', secrets: ['NAMED'] }] };
  expect((await own.call('PATCH', `/api/v1/flows/${own.ids.flow}`, { settings })).status).toBe(200);
  const start = (secrets: string) =>
    run(caller, own.ids.flow, {
      'x-callback-url': 'https://receiver.test/done',
      'x-callback-secret': secrets,
    });
  expect((await start('NAMED')).status).toBe(200);
  const refused = await start('PRIVATE');
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([403, 'permission_denied']);
  for (const secrets of ['MISSING', 'NAMED, PRIVATE', 'NAMED, MISSING'])
    expect((await start(secrets)).text).toBe(refused.text);
});

test('a member gets no callback with the links of a run that waits', async () => {
  const settings = { callbacks: [{ url: 'https://receiver.test/', secrets: ['NAMED'] }] };
  await own.call('PATCH', `/api/v1/flows/${own.ids.flow}`, { settings });
  const waiting = {
    'x-callback-url': 'https://receiver.test/done',
    'x-callback-secret': 'NAMED',
    'x-callback-on': 'finished, waiting',
  };
  const [ofKey, ofMember] = await Promise.all(callers.map((caller) => run(caller, own.ids.flow, waiting)));
  expect([ofKey?.status, ofMember?.status]).toEqual([200, 403]);
});

test('a viewer and a read-only key use up no limit of a flow of the project', async () => {
  const made = await own.call('POST', '/api/v1/api_key/', { access: 'read_only' });
  headers.set('reader', { 'x-api-key': (made.json as { readonly api_key: string }).api_key });
  const { json } = await gateway.call('POST', '/api/v1/users', { username: 'viewer' });
  const viewer = json as { readonly id: string; readonly api_key: string };
  headers.set('viewer', { 'x-api-key': viewer.api_key, 'x-millrace-project': own.ids.project });
  await own.call('PUT', `/api/v1/members/${own.ids.project}/${viewer.id}`, { role: 'viewer' });
  const limit = `/api/v1/limits/flows/${own.ids.flow}`;
  await own.call('PUT', limit, { requests_per_second: 0.01 });
  for (const caller of ['viewer', 'reader']) expect((await run(caller, own.ids.flow)).status).toBe(403);
  expect((await own.call('POST', `/api/v1/run/${own.ids.flow}`, {})).status).toBe(200);
  await own.call('PUT', limit, { requests_per_second: null });
});

const stream = true;
test.each([
  (flow: string) => [`/api/v1/runs/events?flow_id=${flow}`],
  (flow: string) => [`/api/v1/webhook-events/${flow}`],
  (flow: string) => [`/api/v1/run/${flow}?stream=true`, {}],
  (model: string) => ['/v1/chat/completions', { model, stream, messages: [{ role: 'user', content: 'x' }] }],
  (model: string) => ['/api/v1/responses', { model, input: 'x', stream }],
  (flow_id: string) => ['/api/v2/workflows', { flow_id, mode: 'stream' }],
] as const)(
  'a stream of a flow ends when the flow leaves the bounds of its caller, %#',
  async (requestOf) => {
    const answering = gateway.executor.handleJob;
    gateway.executor.handleJob = async ({ events }) => {
      await events([{ event: 'token', data: { chunk: 'x', id: '1' } }]);
    };
    const flow = await own.call('GET', `/api/v1/flows/${own.ids.flow}`);
    const { json } = await own.call('POST', '/api/v1/flows/', {
      name: `moving ${requestOf('x')[0]}`,
      folder_id: own.ids.project,
      data: (flow.json as { readonly data: object }).data,
    });
    const { id } = json as { readonly id: string };
    const open = callers.map(async (caller) => {
      const [path, body] = requestOf(id);
      const asked = body && { method: 'POST', body: JSON.stringify(body) };
      const further = { 'content-type': 'application/json', ...headers.get(caller) };
      const answer = await fetch(gateway.url + path, { headers: further, ...asked });
      let isOpen = true;
      const ended = answer
        .text()
        .catch(() => 'cut')
        .finally(() => (isOpen = false));
      return { status: answer.status, ended, isOpen: () => isOpen };
    });
    const streams = await Promise.all(open);
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const change = (body: object) => own.call('PATCH', `/api/v1/flows/${id}`, body);
    await change({ description: 'changed' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(streams.map(({ isOpen }) => isOpen())).toEqual([true, true]);
    await change({ folder_id: other.ids.project });
    await Promise.all(streams.map(({ ended }) => ended));
    gateway.executor.handleJob = answering;
  },
);
