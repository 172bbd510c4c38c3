import { randomUUID } from 'node:crypto';
import { gatewayForTests, TEST_KEY } from '../../testing/test-gateway';

const all = '/api/v1/projects/';
const unknown = '00000000-0000-4000-8000-00000000000e';
const nothing = { nodes: [], edges: [] };

interface Project {
  readonly id: string;
  readonly name: string;
}

const gateway = gatewayForTests();

const make = async (name: string, more: object = {}) =>
  (await gateway.call('POST', all, { name, ...more })).json as unknown as Project;
const folderOf = async (flow: string) =>
  ((await gateway.call('GET', `/api/v1/flows/${flow}`)).json as { folder_id?: string }).folder_id;

test('each user has a default project, which is listed first', async () => {
  await make('A project');
  expect((await gateway.call('GET', all)).json).toMatchObject([
    {
      name: 'Starter Project',
      description: 'Manage your own flows. Download and upload projects.',
      auth_settings: null,
      id: gateway.user.folderId,
      parent_id: null,
      owner_username: 'admin',
      is_owner: true,
    },
    { name: 'A project', description: null, auth_settings: { auth_type: 'apikey' } },
  ]);
});

test('folders are the former name of projects', async () => {
  for (const path of ['', unknown, `download/${unknown}?x=1`, 'upload/'])
    expect((await gateway.call('POST', `/api/v1/folders/${path}`)).headers.get('location')).toBe(all + path);
  expect((await gateway.call('GET', '/api/v1/folders/a/b')).status).toBe(404);
});

test('a path of the editor is answered with a text that says so', async () => {
  for (const [method, path] of [
    ['GET', 'all'],
    ['POST', `build/${unknown}/flow`],
    ['GET', 'models/enabled_providers'],
  ] as const)
    expect(await gateway.call(method, `/api/v1/${path}`)).toMatchObject({
      status: 404,
      json: { detail: expect.stringContaining("Langflow's editor") },
    });
  expect((await gateway.call('GET', '/api/v1/allowed')).json).toEqual({ detail: 'Not Found' });
});

test('a new project gets a free name and the flows that it names', async () => {
  const flow = await gateway.createFlow({ name: 'to be moved', data: nothing });
  const first = await make('same');
  const second = await make('same', { flows_list: [flow, unknown], components_list: [] });
  expect([first.name, second.name]).toEqual(['same', 'same (1)']);
  expect(await folderOf(flow)).toBe(second.id);
});

test('a flow moves by its folder_id; a project that does not exist is the default one, and refused by PUT', async () => {
  const { id } = await make('target');
  const flow = await gateway.createFlow({ name: 'moving', data: nothing, folder_id: unknown });
  const path = `/api/v1/flows/${flow}`;
  expect(await folderOf(flow)).toBe(gateway.user.folderId);
  for (const [folder, expected] of [
    [id, id],
    [null, id],
    [unknown, gateway.user.folderId],
  ] as const) {
    await gateway.call('PATCH', path, { folder_id: folder });
    expect(await folderOf(flow)).toBe(expected);
  }
  const body = { name: 'moving', data: nothing };
  expect(await gateway.call('PUT', path, { ...body, folder_id: unknown })).toMatchObject({
    status: 400,
    json: { detail: 'Folder not found' },
  });
  await gateway.call('PUT', path, { ...body, folder_id: id });
  await gateway.call('PUT', path, body);
  expect(await folderOf(flow)).toBe(id);
});

test('the flows of a project are tools by their settings', async () => {
  const { id } = await make('Über-Project 1');
  const flow = await gateway.createFlow({ name: 'My flow', data: nothing, folder_id: id, mcp_enabled: true });
  const other = await gateway.createFlow({ name: '1-ä 🎉', description: 'd', data: nothing, folder_id: id });
  const address = `/api/v1/mcp/project/${id}`;
  const tools = async (query = ''): Promise<unknown> =>
    ((await gateway.call('GET', address + query)).json as { tools: unknown }).tools;
  const first = { id: flow, mcp_enabled: true, name: 'My flow', description: null };
  expect((await gateway.call('GET', address)).json).toMatchObject({
    tools: [{ ...first, action_name: 'my_flow', action_description: 'Tool generated from flow: my_flow' }],
    auth_settings: { auth_type: 'apikey', oauth_host: null },
    server_name: 'lf-uber_project_1',
  });
  const second = { id: other, mcp_enabled: false, action_name: '_1_a', action_description: 'd' };
  expect(await tools('?mcp_enabled=false')).toMatchObject([first, second]);
  const settings = [
    { id: other, mcp_enabled: true, action_name: 'An Action', action_description: 'does' },
    { id: unknown, mcp_enabled: true },
  ];
  expect(await gateway.call('PATCH', address, { settings })).toMatchObject({
    status: 200,
    json: { message: 'Updated MCP settings for 1 flows and project auth settings' },
  });
  const changed = { id: other, action_name: 'an_action', action_description: 'does', name: '1-ä 🎉' };
  expect(await tools()).toMatchObject([first, changed]);
  await gateway.call('PATCH', address, { settings: [{ id: other, mcp_enabled: true }] });
  expect(await tools()).toMatchObject([first, { ...second, mcp_enabled: true }]);
  const open = { settings: [], auth_settings: { auth_type: 'none' } };
  expect((await gateway.call('PATCH', address, open)).status).toBe(400);
  expect((await gateway.call('GET', `/api/v1/mcp/project/${unknown}`)).status).toBe(404);
  const [standard] = (await gateway.call('GET', all)).json as unknown as Project[];
  expect((await gateway.call('GET', `/api/v1/mcp/project/${standard?.id ?? ''}`)).json).toMatchObject({
    auth_settings: null,
    server_name: 'lf-starter_project',
  });
});

test('a project is read whole or by pages', async () => {
  const { id } = await make('pages');
  for (const [name, isComponent] of [
    ['first', false],
    ['second', true],
    ['third', false],
  ] as const)
    await gateway.createFlow({ name, data: nothing, folder_id: id, is_component: isComponent });
  const whole = (await gateway.call('GET', `${all}${id}?size=1&search=x`)).json as { flows: Project[] };
  expect(whole).toMatchObject({
    name: 'pages',
    flows: [{ name: 'first' }, { name: 'second' }, { name: 'third' }],
  });
  for (const [query, names, total] of [
    ['size=2&page=1', ['third', 'second'], 3],
    ['size=2&page=2', ['first'], 3],
    ['size=9&page=1&is_component=true', ['second'], 1],
    ['size=9&page=1&is_flow=true', ['third', 'first'], 2],
    ['size=9&page=1&is_flow=true&is_component=true', [], 0],
    ['size=9&page=1&search=SEC', ['second'], 1],
    ['size=9&page=1&search=%25', [], 0],
  ] as const) {
    const { folder, flows } = (await gateway.call('GET', `${all}${id}?${query}`)).json as unknown as {
      folder: Project;
      flows: { items: Project[]; total: number };
    };
    expect([folder.id, flows.items.map(({ name }) => name), flows.total]).toEqual([id, names, total]);
  }
});

test('a project that is not there is created with its flows', async () => {
  const path = `/api/v1/projects/${randomUUID()}`;
  const body = { name: 'Mill', flows_list: [unknown] };
  expect(await gateway.call('PUT', path, body)).toMatchObject({ status: 201 });
  expect((await gateway.call('DELETE', path)).status).toBe(204);
});

test.each([
  ['POST', '', {}, ['missing body.name']],
  ['POST', '', { name: '!!!' }, ['invalid_project_name body.name']],
  [
    'POST',
    '',
    { name: null, description: 7, auth_settings: 5, components_list: 'x', flows_list: ['x'] },
    [
      'string_type body.name',
      'string_type body.description',
      'dict_type body.auth_settings',
      'list_type body.components_list',
      'uuid_parsing body.flows_list.0',
    ],
  ],
  ['PATCH', unknown, { name: 5, parent_id: 'x' }, ['string_type body.name', 'uuid_parsing body.parent_id']],
  ['PATCH', 'x', { name: '' }, ['uuid_parsing path.project_id', 'invalid_project_name body.name']],
  ['PUT', unknown, {}, ['missing body.name']],
  ['DELETE', 'x', undefined, ['uuid_parsing path.project_id']],
  ['GET', 'x', undefined, ['uuid_parsing path.project_id']],
  ['GET', 'download/x', undefined, ['uuid_parsing path.project_id']],
  [
    'GET',
    `${unknown}?page=0&size=101`,
    undefined,
    [
      'greater_than_equal query.page',
      'less_than_equal query.size',
      'greater_than_equal query.page',
      'less_than_equal query.size',
    ],
  ],
  ['GET', `${unknown}?is_component=zz`, undefined, ['bool_parsing query.is_component']],
] as const)('%s %s with %j is refused', async (method, path, body, items) => {
  const { status, json } = await gateway.call(method, all + path, body);
  const { detail } = json as unknown as { detail: { type: string; loc: unknown[] }[] };
  expect([status, detail.map(({ type, loc }) => `${type} ${loc.join('.')}`)]).toEqual([422, items]);
});

test('a project is changed, and what would have no effect is refused', async () => {
  const [parent, { id }] = [await make('parent'), await make('child')];
  const change = async (body: object, method = 'PATCH') => {
    const { status, json } = await gateway.call(method, all + id, body);
    return [status, json as unknown];
  };
  expect(await change({ name: 'renamed', description: 'd', parent_id: parent.id })).toEqual([
    200,
    {
      name: 'renamed',
      description: 'd',
      auth_settings: { auth_type: 'apikey' },
      id,
      parent_id: parent.id,
    },
  ]);
  expect(await change({ name: null, description: null, flows: [], components: [] })).toMatchObject([
    200,
    { name: 'renamed', description: 'd' },
  ]);
  const taken = [409, { detail: 'Project name must be unique' }];
  expect(await change({ name: 'parent' })).toEqual(taken);
  expect(await change({ name: 'parent' }, 'PUT')).toEqual(taken);
  expect(await change({ parent_id: unknown })).toEqual([404, { detail: 'Parent project not found' }]);
  for (const body of [{ flows: [unknown] }, { components: [unknown] }])
    expect(await change(body)).toMatchObject([400, {}]);
  expect(await change({ auth_settings: { auth_type: 'none' } })).toEqual([
    400,
    { detail: 'auth_settings can only be {"auth_type": "apikey"}.' },
  ]);
  expect(await change({ name: 'x', flows_list: [unknown] }, 'PUT')).toMatchObject([400, {}]);
  await gateway.call('DELETE', all + parent.id);
  expect(await change({ auth_settings: { auth_type: 'apikey' } })).toMatchObject([200, { parent_id: null }]);
});

test('PUT creates a project with this id, also where another user has one with it', async () => {
  const id = '00000000-0000-4000-8000-0000000000b1';
  for (const status of [201, 200])
    expect(await gateway.call('PUT', all + id, { name: 'put' })).toMatchObject({ status, json: { id } });
  const user = await gateway.call('POST', '/api/v1/users', { username: 'another' });
  const headers = { 'x-api-key': (user.json as { api_key: string }).api_key };
  expect(await gateway.call('GET', all + id, undefined, headers)).toMatchObject({ status: 404 });
  expect(await gateway.call('PUT', all + id, { name: 'own' }, headers)).toMatchObject({ status: 201 });
  expect(await gateway.call('GET', all + id)).toMatchObject({ json: { name: 'put' } });
});

test('a project is deleted with its flows; the default one comes back with the next flow', async () => {
  const { id } = await make('doomed');
  const flow = await gateway.createFlow({ name: 'doomed', data: nothing, folder_id: id });
  for (const status of [204, 404]) expect((await gateway.call('DELETE', all + id)).status).toBe(status);
  expect((await gateway.call('GET', `/api/v1/flows/${flow}`)).status).toBe(404);
  const standard = all + gateway.user.folderId;
  expect((await gateway.call('DELETE', standard)).status).toBe(204);
  expect((await gateway.call('GET', standard)).status).toBe(404);
  await gateway.createFlow({ name: 'next', data: nothing });
  expect((await gateway.call('GET', standard)).json).toMatchObject({
    name: 'Starter Project',
    flows: [{ name: 'next' }],
  });
});

describe('exports', () => {
  const form = (content: string | Uint8Array<ArrayBuffer>, name = 'file.json') => {
    const upload = new FormData();
    upload.set('file', new Blob([content]), name);
    return upload;
  };

  test('the archive of a project makes a project named by its file', async () => {
    const { id } = await make('Ärchive');
    const flow = await gateway.createFlow({ name: 'archived', data: nothing, folder_id: id });
    const response = await gateway.fetch(`${gateway.url}${all}download/${id}`, {
      headers: { 'x-api-key': TEST_KEY },
    });
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="\d{8}_\d{6}_\?rchive_flows.zip"; filename\*=UTF-8''\d{8}_\d{6}_%C3%84rchive_flows.zip$/,
    );
    const archive = new Uint8Array(await response.arrayBuffer());
    expect(await gateway.call('POST', `${all}upload/`, form(archive, 'copy.zip'))).toMatchObject({
      status: 422,
      json: { detail: expect.stringContaining(flow) },
    });
    await gateway.call('DELETE', all + id);
    const { status, json } = await gateway.call('POST', `${all}upload/`, form(archive, 'copy.zip'));
    const [copy] = json as unknown as { id: string; folder_id: string }[];
    expect([status, copy?.id]).toEqual([201, flow]);
    expect((await gateway.call('GET', all + copy?.folder_id)).json).toMatchObject({
      name: 'copy',
      description: '',
      flows: [{ name: 'archived' }],
    });
  });

  test('a document makes a project with its name; a flow that is refused leaves none', async () => {
    const document = {
      folder_name: 'document',
      folder_description: 'd',
      flows: [{ name: 'one', data: nothing }],
    };
    expect(await gateway.call('POST', `${all}upload/`, form(JSON.stringify(document)))).toMatchObject({
      status: 201,
      json: [{ name: 'one' }],
    });
    const count = async () => ((await gateway.call('GET', all)).json as unknown as Project[]).length;
    const before = await count();
    const flows = [...document.flows, { name: 'two', data: { nodes: 5, edges: [] } }];
    const refused = await gateway.call('POST', `${all}upload/`, form(JSON.stringify({ ...document, flows })));
    expect(refused.status).toBe(422);
    expect(await count()).toBe(before);
  });

  test.each([
    ['', 400, 'The uploaded file is empty'],
    ['no json', 400, 'Invalid JSON file: Expecting value (char 0)'],
    ['[]', 400, 'No flows found in the file'],
    ['5', 400, "Invalid project data: expected a JSON object with 'folder_name' and 'flows' fields"],
    ['{"name": "a flow", "data": null}', 400, 'Missing required field(s): folder_name, flows'],
    ['{"folder_name": "x", "flows": 5}', 400, 'flows is not a list'],
  ])('the file %j is refused', async (content, status, detail) => {
    expect(await gateway.call('POST', `${all}upload/`, form(content))).toMatchObject({
      status,
      json: { detail },
    });
  });

  test('an upload without a file and a project without flows are refused', async () => {
    for (const body of [undefined, new FormData()])
      expect(await gateway.call('POST', `${all}upload/`, body)).toMatchObject({
        status: 400,
        json: { detail: 'No file provided' },
      });
    const { id } = await make('empty');
    expect(await gateway.call('GET', `${all}download/${id}`)).toMatchObject({
      status: 404,
      json: { detail: 'No flows found in project' },
    });
  });
});
