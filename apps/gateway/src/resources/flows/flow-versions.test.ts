import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';

const gateway = gatewayForTests();

const document = (value: string, key = 'canary-1') => ({
  nodes: [
    {
      id: 'TextInput-1',
      type: 'genericNode',
      data: {
        id: 'TextInput-1',
        type: 'TextInput',
        node: {
          display_name: 'Text Input',
          template: { input_value: { value }, api_key: { value: key, password: true } },
          outputs: [{ name: 'text' }],
        },
      },
    },
  ],
  edges: [],
});
const versionsOf = ({ json }: Answer) => (json as { versions: { version: number }[] }).versions;

/** Creates a flow with versions that say "one", "two" and so on. */
async function createFlow(...values: readonly string[]): Promise<string> {
  const [first = '', ...others] = values;
  const id = await gateway.createFlow({ name: 'versions', data: document(first) });
  for (const value of others)
    await gateway.call('PATCH', `/api/v1/flows/${id}`, { data: document(value, `canary-${value}`) });
  return id;
}

test('the versions of a flow are listed newest first, in pages', async () => {
  const id = await createFlow('one', 'two', 'three');
  const path = `/api/v1/flows/${id}/versions`;
  const all = await gateway.call('GET', path);
  const version = { id: expect.any(String), created_at: expect.any(String), restored_from: null };
  expect(all.json).toEqual({
    next_cursor: null,
    versions: [3, 2, 1].map((number) => ({ ...version, version: number, active: number === 3 })),
  });
  const first = await gateway.call('GET', `${path}?limit=2`);
  expect([versionsOf(first).length, first.json]).toMatchObject([2, { next_cursor: '2' }]);
  const second = await gateway.call('GET', `${path}?limit=2&cursor=2`);
  expect(second.json).toMatchObject({ versions: [{ version: 1 }], next_cursor: null });
  expect(versionsOf(await gateway.call('GET', `${path}?limit=1`))).toHaveLength(1);
  expect((await gateway.call('GET', `${path}?cursor=1`)).json).toEqual({ versions: [], next_cursor: null });
});

test('a version is read without the values of its secret fields', async () => {
  const id = await createFlow('one', 'two');
  const answer = await gateway.call('GET', `/api/v1/flows/${id}/versions/1`);
  expect(answer.json).toMatchObject({ version: 1, active: false });
  expect(answer.text).toContain('"one"');
  expect(answer.text).not.toContain('canary');
});

test('versions are compared, and secrets are not shown', async () => {
  const id = await createFlow('one', 'two', 'three');
  const active = await gateway.call('GET', `/api/v1/flows/${id}/versions/1/diff`);
  expect(active.json).toMatchObject({
    from: 1,
    to: 3,
    vertices: {
      added: [],
      removed: [],
      changed: [
        {
          id: 'TextInput-1',
          fields: [
            { name: 'input_value', before: 'one', after: 'three', secret: false },
            { name: 'api_key', before: null, after: null, secret: true },
          ],
        },
      ],
    },
  });
  expect(active.text).not.toContain('canary');
  const back = await gateway.call('GET', `/api/v1/flows/${id}/versions/2/diff?to=1`);
  expect(back.json).toMatchObject({ from: 2, to: 1 });
});

test('an old version is activated as the newest version, with its secrets', async () => {
  const id = await createFlow('one', 'two');
  const activated = await gateway.call('POST', `/api/v1/flows/${id}/versions/1/activate`);
  expect(activated.json).toMatchObject({
    version: 3,
    active: true,
    restored_from: 1,
    report: { verdict: expect.any(String) },
  });
  const read = await gateway.call('GET', `/api/v1/flows/${id}`);
  expect(read.json).toMatchObject({ version: 3, data: document('one') });
  // The versions before are unchanged.
  expect((await gateway.call('GET', `/api/v1/flows/${id}/versions/2/diff?to=3`)).text).toContain('"two"');
  const again = await gateway.call('POST', `/api/v1/flows/${id}/versions/3/activate`);
  expect(again.json).toMatchObject({ version: 3, restored_from: 1 });
  const list = await gateway.call('GET', `/api/v1/flows/${id}/versions`);
  expect(versionsOf(list).map(({ version }) => version)).toEqual([3, 2, 1]);
});

test('the next run uses the activated version at once', async () => {
  const id = await createFlow('one', 'two');
  const run = async () => {
    await gateway.call('POST', `/api/v1/run/${id}`, {}, { prefer: 'respond-async' });
    const { json } = await gateway.call('GET', `/api/v1/runs?flow_id=${id}&limit=1`);
    return (json as { runs: { flow_version: number }[] }).runs[0]?.flow_version;
  };
  expect(await run()).toBe(2);
  await gateway.call('POST', `/api/v1/flows/${id}/versions/1/activate`);
  expect(await run()).toBe(3);
});

test.each([
  ['GET', 'versions/9', 404],
  ['GET', 'versions/9/diff', 404],
  ['GET', 'versions/1/diff?to=9', 404],
  ['POST', 'versions/9/activate', 404],
  ['GET', 'versions/first', 422],
  ['GET', 'versions/99999999999', 422],
  ['GET', 'versions/1/diff?to=x', 422],
])('%s %s is refused', async (method, path, status) => {
  const id = await createFlow('one');
  expect((await gateway.call(method, `/api/v1/flows/${id}/${path}`)).status).toBe(status);
});

test('PATCH merges settings, null removes a member, and PUT replaces them', async () => {
  const signature = { scheme: 'hmac', secrets: ['SECRET'], toleranceSeconds: 60 };
  for (const name of ['SECRET', 'NEW'])
    await gateway.call('POST', '/api/v1/variables/', { name, value: 'whsec_YQ==', type: 'Credential' });
  const body = { name: 'merged', data: document('one'), settings: { pool: 'a', webhook: { signature } } };
  const path = `/api/v1/flows/${await gateway.createFlow(body)}`;
  const change = async (method: string, settings: unknown) => {
    const { status, json } = await gateway.call(method, path, { name: 'merged', settings });
    return status === 200 ? (json as { settings: unknown }).settings : (json as { detail: unknown }).detail;
  };
  expect(await change('PATCH', { webhook: { maximumWaitSeconds: 5 } })).toEqual({
    pool: 'a',
    webhook: { signature, maximumWaitSeconds: 5 },
  });
  expect(
    await change('PATCH', { pool: null, webhook: { signature: { secrets: ['NEW', 'SECRET'] } } }),
  ).toEqual({
    webhook: { signature: { ...signature, secrets: ['NEW', 'SECRET'] }, maximumWaitSeconds: 5 },
  });
  // A part of a member that does not exist yet has to be complete.
  expect(await change('PATCH', { retry: { backoffSeconds: 3 } })).toEqual([
    expect.objectContaining({ type: 'missing', loc: ['body', 'settings', 'retry', 'attempts'] }),
  ]);
  expect(await change('PATCH', { webhook: { signature: { scheme: null } } })).toEqual([
    expect.objectContaining({
      type: 'missing',
      loc: ['body', 'settings', 'webhook', 'signature', 'scheme'],
    }),
  ]);
  expect(await change('PATCH', { pool: 'a b', owner: null })).toEqual([
    expect.objectContaining({ loc: ['body', 'settings', 'pool'] }),
    expect.objectContaining({ type: 'extra_forbidden', loc: ['body', 'settings', 'owner'] }),
  ]);
  const parts = [{ pool: 'b' }, { durable: true }, { concurrency: 3 }, { deadlineSeconds: 9 }];
  await Promise.all(parts.map((part) => change('PATCH', part)));
  expect(await change('PATCH', {})).toMatchObject(Object.assign({}, ...parts) as object);
  expect(await change('PUT', { pool: 'c' })).toEqual({ pool: 'c' });
  expect(await change('PATCH', null)).toEqual({ pool: 'c' });
  expect(await change('PUT', null)).toEqual({ pool: 'c' });
});
