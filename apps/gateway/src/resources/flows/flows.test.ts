import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayForTests } from '../../testing/test-gateway';

const nothing = { nodes: [], edges: [], viewport: { x: 0, y: 0, zoom: 1 } };
const example = (name: string) =>
  JSON.parse(readFileSync(join(__dirname, `../../../../../examples/${name}.json`), 'utf8')) as Record<
    string,
    unknown
  >;

const gateway = gatewayForTests();

interface FlowView {
  readonly id: string;
  readonly name: string;
  readonly endpoint_name: string | null;
  readonly version: number;
  readonly data: {
    readonly nodes: readonly {
      readonly data: { readonly node: { readonly template: Record<string, { value: unknown }> } };
    }[];
  };
  readonly report: { readonly runnable: boolean; readonly problems: readonly Record<string, unknown>[] };
}

describe('creating a flow', () => {
  test('returns the flow in the shape of Langflow', async () => {
    const made = await gateway.call('POST', '/api/v1/flows/', {
      name: 'one',
      description: 'd',
      data: nothing,
    });
    expect(made).toMatchObject({
      status: 201,
      json: {
        name: 'one',
        description: 'd',
        data: nothing,
        endpoint_name: null,
        is_component: false,
        webhook: false,
        locked: false,
        access_type: 'PRIVATE',
        flow_type: 'workflow',
        user_id: gateway.user.id,
        folder_id: gateway.user.folderId,
        version: 1,
        report: { runnable: true, problems: [] },
      },
    });
    expect((made.json as { updated_at: string }).updated_at).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$/,
    );
  });

  test.each([
    ['/etc/passwd', 'Absolute path must be within your flows directory'],
    ['C:\\x', 'Absolute path must be within your flows directory'],
    ['a\\..\\b', 'Invalid fs_path: directory traversal (..) is not allowed'],
    ['', 'fs_path cannot be empty'],
  ])("a path of its file outside of the user's folder is refused: %j", async (fs_path, detail) => {
    const flow = { name: 'file', data: { nodes: [], edges: [] } };
    const refused = { status: 400, json: { detail } };
    expect(await gateway.call('POST', '/api/v1/flows/', { ...flow, fs_path })).toMatchObject(refused);
    expect(await gateway.call('POST', '/api/v1/flows/upload/', { ...flow, fs_path })).toMatchObject(refused);
    const id = await gateway.createFlow({ ...flow, fs_path: 'sub/ok.json' });
    expect(await gateway.call('PATCH', `/api/v1/flows/${id}`, { fs_path })).toMatchObject(refused);
  });

  test('numbers names and endpoint names that are in use', async () => {
    await gateway.createFlow({ name: 'twin', endpoint_name: 'twin-ep' });
    expect(
      (await gateway.call('POST', '/api/v1/flows/', { name: 'twin', endpoint_name: 'twin-ep' })).json,
    ).toMatchObject({
      name: 'twin (1)',
      endpoint_name: 'twin-ep-1',
    });
  });

  test('lists each error twice, as Langflow does', async () => {
    const text = 'Value error, Endpoint name must contain only letters, numbers, hyphens, and underscores';
    const item = { type: 'value_error', loc: ['body', 'endpoint_name'], msg: text };
    const refused = await gateway.call('POST', '/api/v1/flows/', { name: 'x', endpoint_name: 'bad ep!' });
    expect(refused).toMatchObject({ status: 422, json: { detail: [item, item] } });
  });

  test.each([
    ['no name', {}, { type: 'missing', loc: ['body', 'name'] }],
    [
      'no edges',
      { name: 'x', data: { nodes: [] } },
      { type: 'value_error', msg: 'Value error, Flow must have edges' },
    ],
    ['a list', [], { type: 'model_attributes_type', loc: ['body'] }],
    [
      'a pool with spaces',
      { name: 'x', settings: { pool: 'a b' } },
      { type: 'value_error', loc: ['body', 'settings', 'pool'] },
    ],
    [
      'an unknown setting',
      { name: 'x', settings: { owner: 1 } },
      { type: 'extra_forbidden', loc: ['body', 'settings', 'owner'] },
    ],
    [
      'a signature without secrets',
      { name: 'x', settings: { webhook: { signature: { scheme: 'github', secrets: [] } } } },
      { type: 'too_short', loc: ['body', 'settings', 'webhook', 'signature', 'secrets'] },
    ],
    [
      'a challenge of Meta without secrets',
      { name: 'x', settings: { webhook: { challenge: { scheme: 'meta' } } } },
      { type: 'missing', loc: ['body', 'settings', 'webhook', 'challenge', 'secrets'] },
    ],
    ['no body', undefined, { type: 'missing', loc: ['body'] }],
  ])('%s is refused', async (_, body, item) => {
    expect(await gateway.call('POST', '/api/v1/flows/', body)).toMatchObject({
      status: 422,
      json: { detail: [item, item] },
    });
  });

  test('lists its problems without refusing it', async () => {
    const node = (id: string, type: string) => ({
      id,
      type: 'genericNode',
      data: { id, type, node: { template: {} } },
    });
    const data = { nodes: [node('Mystery-1', 'Mystery')], edges: [] };
    const { report } = (await gateway.call('POST', '/api/v1/flows/', { name: 'odd', data })).json as FlowView;
    expect(report).toMatchObject({
      runnable: false,
      problems: [
        { code: 'unknown_component', blocks: true, vertex_id: 'Mystery-1', component_type: 'Mystery' },
      ],
    });
  });

  test('unknown members are ignored', async () => {
    const stranger = '00000000-0000-4000-8000-000000000001';
    const body = { name: 'sly', user_id: stranger, version: 9, created_at: 'x', isAdmin: true };
    const made = (await gateway.call('POST', '/api/v1/flows/', body)).json as Record<string, unknown>;
    expect(made).toMatchObject({ user_id: gateway.user.id, version: 1 });
    expect(made).not.toHaveProperty('isAdmin');
  });
});

describe('reading and changing flows', () => {
  test('null leaves a member as it was, apart from the name of the endpoint', async () => {
    const members = {
      description: 'd',
      icon: 'i',
      tags: ['t'],
      mcp_enabled: true,
      access_type: 'PUBLIC',
      flow_type: 'agent',
      data: nothing,
    };
    const id = await gateway.createFlow({ name: 'with members', endpoint_name: 'with-members', ...members });
    const nulls = Object.fromEntries(Object.keys(members).map((name) => [name, null]));
    const changes = { name: null, endpoint_name: null, ...nulls };
    const { status, json } = await gateway.call('PATCH', `/api/v1/flows/${id}`, changes);
    expect(status).toBe(200);
    expect(json).toMatchObject({ name: 'with members', ...members, endpoint_name: null });
  });

  test('a locked flow is changed only after it is unlocked', async () => {
    const id = await gateway.createFlow({ name: 'locked', data: nothing, locked: true });
    const change = (changes: object) => gateway.call('PATCH', `/api/v1/flows/${id}`, changes);
    expect((await change({ description: 'x' })).status).toBe(423);
    expect((await change({ description: 'x', locked: false })).status).toBe(423);
    expect((await gateway.call('PUT', `/api/v1/flows/${id}`, { name: 'x' })).status).toBe(423);
    expect((await change({ name: 'locked', data: nothing, locked: true })).status).toBe(200);
    expect((await change({ locked: false })).json).toMatchObject({ locked: false, description: null });
    expect((await change({ description: 'x' })).json).toMatchObject({ description: 'x' });
  });

  test('flows are listed by their type', async () => {
    const agent = await gateway.createFlow({ name: 'an agent', data: nothing, flow_type: 'agent' });
    const ids = async (types: string) =>
      ((await gateway.call('GET', `/api/v1/flows/?flow_type=${types}`)).json as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await ids('agent')).toContain(agent);
    expect(await ids('workflow')).not.toContain(agent);
    expect(await ids('workflow,agent')).toContain(agent);
  });

  test('the state of a flow is that of its last change', async () => {
    const id = await gateway.createFlow({ name: 'stateful', data: nothing });
    const { json: flow } = await gateway.call('PATCH', `/api/v1/flows/${id}`, { description: 'x' });
    const { version_token, updated_at } = flow as Record<string, string>;
    const { json: state } = await gateway.call('GET', `/api/v1/flows/${id}/version-state`);
    expect(state).toMatchObject({ version_token, updated_at, last_modified_by: gateway.user.id });
  });

  test('a change of the document creates a new version, other changes do not', async () => {
    const id = await gateway.createFlow({ name: 'versions', data: nothing, tags: ['a'] });
    const path = `/api/v1/flows/${id}`;
    expect((await gateway.call('PATCH', path, { name: 'renamed', mcp_enabled: true })).json).toMatchObject({
      name: 'renamed',
      mcp_enabled: true,
      tags: ['a'],
      version: 1,
    });
    const data = { ...nothing, viewport: { x: 1, y: 1, zoom: 1 } };
    expect((await gateway.call('PATCH', path, { data })).json).toMatchObject({ name: 'renamed', version: 2 });
    expect((await gateway.call('GET', path)).json).toMatchObject({ data, version: 2 });
  });

  test('PUT replaces a flow, or creates it with its id', async () => {
    const id = '0198c0de-0000-7000-8000-000000000001';
    const path = `/api/v1/flows/${id}`;
    expect(await gateway.call('PUT', path, { name: 'put', data: nothing })).toMatchObject({
      status: 201,
      json: { id },
    });
    expect(await gateway.call('PUT', path, { name: 'put again', data: nothing })).toMatchObject({
      status: 200,
      json: { id, name: 'put again' },
    });
  });

  test('PUT leaves what is null as it was, apart from the name of the endpoint', async () => {
    const kept = { description: 'text', data: nothing };
    const id = await gateway.createFlow({ name: 'kept', endpoint_name: 'kept-ep', ...kept });
    const path = `/api/v1/flows/${id}`;
    const nulls = { description: null, data: null, endpoint_name: null };
    const changed = { name: 'changed', endpoint_name: null, ...kept };
    expect(await gateway.call('PUT', path, { name: 'changed', ...nulls })).toMatchObject({
      status: 200,
      json: changed,
    });
    expect((await gateway.call('GET', path)).json).toMatchObject(changed);
  });

  test('a change to a name that is in use is refused', async () => {
    await gateway.createFlow({ name: 'first', endpoint_name: 'first-ep' });
    const id = await gateway.createFlow({ name: 'second' });
    expect(await gateway.call('PATCH', `/api/v1/flows/${id}`, { name: 'first' })).toMatchObject({
      status: 400,
      json: { detail: 'Name must be unique' },
    });
    expect(await gateway.call('PATCH', `/api/v1/flows/${id}`, { endpoint_name: 'first-ep' })).toMatchObject({
      status: 400,
      json: { detail: 'Endpoint name must be unique' },
    });
    const put = async (to: string, body: object) => {
      const { status, json } = await gateway.call('PUT', `/api/v1/flows/${to}`, { data: nothing, ...body });
      return [status, (json as { detail?: string; name?: string }).detail ?? (json as { name: string }).name];
    };
    const unknown = '0198c0de-0000-7000-8000-0000000000aa';
    const taken = [409, 'Endpoint name must be unique'];
    expect(await put(id, { name: 'first' })).toEqual([409, 'Name must be unique']);
    expect(await put(id, { name: 'second', endpoint_name: 'first-ep' })).toEqual(taken);
    expect(await put(unknown, { name: 'third', endpoint_name: 'first-ep' })).toEqual(taken);
    expect(await put(unknown, { name: 'first', endpoint_name: 'third-ep' })).toEqual([201, 'first (1)']);
  });

  test('lists are complete, as headers or in pages', async () => {
    const all = (await gateway.call('GET', '/api/v1/flows/')).json as FlowView[];
    const headers = (await gateway.call('GET', '/api/v1/flows/?header_flows=true')).json as FlowView[];
    expect(headers.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(headers.every(({ data }) => data === null)).toBe(true);
    const page = (await gateway.call('GET', '/api/v1/flows/?get_all=false&page=2&size=3')).json as {
      items: FlowView[];
    };
    expect(page).toMatchObject({ total: all.length, page: 2, size: 3 });
    expect(page.items.map(({ id }) => id)).toEqual(all.slice(3, 6).map(({ id }) => id));
    const project = 'folder_id=00000000-0000-0000-0000-000000000001';
    const none = await gateway.call('GET', `/api/v1/flows/?get_all=false&${project}`);
    expect(none.json).toMatchObject({ items: [], total: 0, pages: 0 });
    expect((await gateway.call('GET', `/api/v1/flows/?${project}`)).json).toHaveLength(all.length);
    expect((await gateway.call('GET', '/api/v1/flows/?get_all=maybe')).status).toBe(422);
  });

  test('a list of many flows is complete, and is empty for a user without flows', async () => {
    const { api_key: key } = (await gateway.call('POST', '/api/v1/users', { username: 'collector' }))
      .json as { api_key: string };
    const own = { 'x-api-key': key };
    expect((await gateway.call('GET', '/api/v1/flows/', undefined, own)).json).toEqual([]);
    const flows = Array.from({ length: 120 }, (_, number) => ({ name: `flow ${number}`, data: null }));
    expect((await gateway.call('POST', '/api/v1/flows/batch/', { flows }, own)).status).toBe(201);
    const listed = (await gateway.call('GET', '/api/v1/flows/', undefined, own)).json as FlowView[];
    expect(listed.map(({ name }) => name)).toEqual(flows.map(({ name }) => name));
  });

  test('several flows are deleted at once', async () => {
    const ids = [
      await gateway.createFlow({ name: 'deleted 1' }),
      await gateway.createFlow({ name: 'deleted 2' }),
    ];
    expect((await gateway.call('DELETE', '/api/v1/flows/', ids)).json).toEqual({ deleted: 2 });
    expect((await gateway.call('GET', `/api/v1/flows/${ids[0]}`)).json).toEqual({ detail: 'Flow not found' });
  });

  test('a webhook shows its address and an example call that works', async () => {
    const id = await gateway.createFlow({ ...example('order-webhook'), endpoint_name: 'orders' });
    const { data } = (await gateway.call('GET', `/api/v1/flows/${id}`)).json as FlowView;
    const values = data.nodes.map((node) => node.data.node.template['endpoint']?.value);
    expect(values).toContain(`${gateway.url}/api/v1/webhook/orders`);
  });
});
