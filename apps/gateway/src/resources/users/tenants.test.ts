import { uuidv7 } from '@millrace/service';
import { propertyCases } from '@millrace/service/testing';
import type { OpenApiDocument } from '../../openapi/openapi-document';
import { makeTenant } from '../../testing/tenant';
import type { Tenant, TenantIds } from '../../testing/tenant';
import { openTestGateway } from '../../testing/test-gateway';
import type { Answer, TestGateway } from '../../testing/test-gateway';

const UNKNOWN_TEXT = '00000000-0000-4000-8000-00000000000e';
/** A current run id, so that the gateway searches for a run in progress. */
const UNKNOWN_RUN = uuidv7();
/** Ids and names that do not exist. */
const nothing: TenantIds = {
  flow: UNKNOWN_TEXT,
  run: UNKNOWN_RUN,
  job: UNKNOWN_RUN,
  message: UNKNOWN_TEXT,
  variable: UNKNOWN_TEXT,
  trigger: UNKNOWN_TEXT,
  hook: UNKNOWN_TEXT,
  callback: UNKNOWN_TEXT,
  project: UNKNOWN_TEXT,
  key: UNKNOWN_TEXT,
  consoleSession: UNKNOWN_TEXT,
  file: UNKNOWN_TEXT,
  flowFile: 'nothing.png',
  endpoint: 'nothing',
  session: 'nothing',
  server: 'nothing',
  knowledge: 'nothing',
  version: '1',
};

type Kind = keyof TenantIds;
interface RouteCase {
  /** The route as in the documentation. */
  readonly route: string;
  /** The values of the path parameters, in their order. */
  readonly kinds: readonly Kind[];
  readonly status?: number;
  readonly query?: (ids: TenantIds) => string;
  readonly body?: (ids: TenantIds) => unknown;
}

const uploadBody = () => {
  const form = new FormData();
  form.set('files', new Blob(['text']), 'a.txt');
  return form;
};
const flowBody = () => ({ name: 'taken', data: { nodes: [], edges: [] } });
/** Every place where a caller gives an id or a name. Where a foreign id is not 404, neither is an unknown one. */
const routes: readonly RouteCase[] = [
  ...(['flow', 'endpoint'] as const).flatMap((kind): RouteCase[] => [
    { route: 'POST /api/v1/run/{flow}', kinds: [kind], body: () => ({}) },
    { route: 'POST /api/v1/run/{flow}', kinds: [kind], query: () => '?stream=true', body: () => ({}) },
    { route: 'POST /api/v1/run/advanced/{flow}', kinds: [kind], body: () => ({}) },
    { route: 'GET /api/v1/webhook-events/{flow}', kinds: [kind] },
  ]),
  { route: 'POST /run/{flow_id}', kinds: ['flow'], body: () => ({}) },
  { route: 'POST /api/v2/workflows', kinds: [], body: (ids) => ({ flow_id: ids.flow }) },
  { route: 'POST /api/v2/workflows', kinds: [], body: (ids) => ({ flow_id: ids.flow, mode: 'stream' }) },
  {
    route: 'POST /api/v1/responses',
    kinds: [],
    status: 200,
    body: (ids) => ({ model: ids.flow, input: 'x' }),
  },
  { route: 'POST /api/v1/flows/{flow_id}/accepted-code', kinds: ['flow'], body: () => ({ vertices: ['a'] }) },
  { route: 'GET /v1/models/{model}', kinds: ['flow'] },
  {
    route: 'POST /v1/chat/completions',
    kinds: [],
    body: (ids) => ({ model: ids.flow, messages: [{ role: 'user', content: 'x' }] }),
  },
  { route: 'GET /api/v1/flows/{flow_id}', kinds: ['flow'] },
  { route: 'GET /api/v1/flows/{flow_id}/refused-deliveries', kinds: ['flow'] },
  { route: 'GET /api/v1/flows/{flow_id}/openapi.json', kinds: ['flow'] },
  { route: 'GET /api/v1/flows/{flow_id}/version-state', kinds: ['flow'] },
  { route: 'GET /api/v1/flows/{flow_id}/versions', kinds: ['flow'] },
  { route: 'GET /api/v1/flows/{flow_id}/versions', kinds: ['flow'], query: () => '?cursor=5' },
  { route: 'GET /api/v1/flows/{flow_id}/versions/{version}', kinds: ['flow', 'version'] },
  { route: 'GET /api/v1/flows/{flow_id}/versions/{version}/diff', kinds: ['flow', 'version'] },
  { route: 'POST /api/v1/flows/{flow_id}/versions/{version}/activate', kinds: ['flow', 'version'] },
  { route: 'PATCH /api/v1/flows/{flow_id}', kinds: ['flow'], body: () => ({ name: 'taken' }) },
  { route: 'DELETE /api/v1/flows/{flow_id}', kinds: ['flow'] },
  { route: 'DELETE /api/v1/flows/', kinds: [], status: 200, body: (ids) => [ids.flow] },
  { route: 'POST /api/v1/flows/download/', kinds: [], body: (ids) => [ids.flow] },
  { route: 'GET /api/v1/knowledge_bases/{kb_name}/runs/{run_id}', kinds: ['knowledge', 'run'] },
  ...['', '/chunks', '/metadata/keys', '/runs'].map((end): RouteCase => ({
    route: `GET /api/v1/knowledge_bases/{kb_name}${end}`,
    kinds: ['knowledge'],
  })),
  { route: 'DELETE /api/v1/knowledge_bases/{kb_name}', kinds: ['knowledge'] },
  { route: 'POST /api/v1/knowledge_bases/{kb_name}/cancel', kinds: ['knowledge'] },
  { route: 'POST /api/v1/knowledge_bases/{kb_name}/ingest', kinds: ['knowledge'], body: uploadBody },
  { route: 'DELETE /api/v1/knowledge_bases', kinds: [], body: (ids) => ({ kb_names: [ids.knowledge] }) },
  ...['', '?page=1&size=1'].map((query): RouteCase => ({
    route: 'GET /api/v1/projects/{project_id}',
    kinds: ['project'],
    query: () => query,
  })),
  { route: 'PATCH /api/v1/projects/{project_id}', kinds: ['project'], body: () => ({ name: 'taken' }) },
  { route: 'DELETE /api/v1/projects/{project_id}', kinds: ['project'] },
  { route: 'GET /api/v1/projects/download/{project_id}', kinds: ['project'] },
  { route: 'GET /api/v1/mcp/project/{project_id}', kinds: ['project'] },
  { route: 'PATCH /api/v1/mcp/project/{project_id}', kinds: ['project'], body: () => ({ settings: [] }) },
  { route: 'POST /api/v1/files/upload/{flow_id}', kinds: ['flow'], body: () => new FormData() },
  { route: 'POST /api/v1/upload/{flow_id}', kinds: ['flow'], body: () => new FormData() },
  { route: 'GET /api/v1/files/list/{flow_id}', kinds: ['flow'] },
  { route: 'GET /api/v1/files/download/{flow_id}/{file_name}', kinds: ['flow', 'flowFile'] },
  { route: 'GET /api/v1/files/images/{flow_id}/{file_name}', kinds: ['flow', 'flowFile'] },
  { route: 'DELETE /api/v1/files/delete/{flow_id}/{file_name}', kinds: ['flow', 'flowFile'] },
  { route: 'GET /api/v2/files/{file_id}', kinds: ['file'] },
  { route: 'PUT /api/v2/files/{file_id}', kinds: ['file'], query: () => '?name=taken' },
  { route: 'DELETE /api/v2/files/{file_id}', kinds: ['file'] },
  { route: 'POST /api/v2/files/batch/', kinds: [], body: (ids) => [ids.file] },
  { route: 'DELETE /api/v2/files/batch/', kinds: [], body: (ids) => [ids.file] },
  { route: 'GET /api/v1/runs/{run_id}', kinds: ['run'] },
  { route: 'GET /api/v1/runs/{run_id}/trace', kinds: ['run'] },
  { route: 'GET /api/v1/runs/{run_id}/attempts', kinds: ['run'] },
  { route: 'POST /api/v1/runs/{run_id}/cancel', kinds: ['run'] },
  { route: 'POST /api/v1/runs/{run_id}/replay', kinds: ['run'] },
  { route: 'POST /api/v1/runs/replay', kinds: [], status: 202, body: (ids) => ({ runs: [ids.run] }) },
  { route: 'DELETE /api/v1/runs/{run_id}', kinds: ['run'] },
  {
    route: 'DELETE /api/v1/runs',
    kinds: [],
    status: 200,
    query: (ids) => `?status=succeeded&flow_id=${ids.flow}`,
  },
  { route: 'GET /api/v1/runs', kinds: [], status: 200, query: (ids) => `?flow_id=${ids.flow}` },
  {
    route: 'GET /api/v1/runs',
    kinds: [],
    status: 200,
    query: (ids) => `?flow_id=${ids.flow}&before=${ids.run}`,
  },
  ...['session_id', 'user_id'].map((name): RouteCase => ({
    route: 'POST /api/v1/runs/bulk',
    kinds: [],
    status: name === 'user_id' ? 403 : 200,
    body: (ids) => ({
      action: 'cancel',
      dry_run: true,
      filter: { [name]: name === 'user_id' ? ids.flow : ids.session },
    }),
  })),
  { route: 'GET /api/v1/runs', kinds: [], status: 200, query: (ids) => `?session_id=${ids.session}` },
  { route: 'GET /api/v1/runs', kinds: [], status: 403, query: (ids) => `?user_id=${ids.flow}` },
  { route: 'GET /api/v2/workflows', kinds: [], query: (ids) => `?job_id=${ids.job}` },
  { route: 'GET /api/v2/workflows/{job_id}/events', kinds: ['job'] },
  {
    route: 'POST /api/v2/workflows/{job_id}/resume',
    kinds: ['job'],
    body: () => ({ request_id: 'x', decision: {} }),
  },
  { route: 'POST /api/v2/workflows/stop', kinds: [], body: (ids) => ({ job_id: ids.job }) },
  { route: 'GET /api/v1/monitor/messages', kinds: [], status: 200, query: (ids) => `?flow_id=${ids.flow}` },
  {
    route: 'GET /api/v1/monitor/messages',
    kinds: [],
    status: 200,
    query: (ids) => `?session_id=${ids.session}`,
  },
  {
    route: 'GET /api/v1/monitor/messages/sessions',
    kinds: [],
    status: 200,
    query: (ids) => `?flow_id=${ids.flow}`,
  },
  { route: 'PUT /api/v1/monitor/messages/{message_id}', kinds: ['message'], body: () => ({ text: 'taken' }) },
  { route: 'DELETE /api/v1/monitor/messages', kinds: [], status: 204, body: (ids) => [ids.message] },
  {
    route: 'PATCH /api/v1/monitor/messages/session/{session_id}',
    kinds: ['session'],
    query: () => '?new_session_id=taken',
  },
  { route: 'DELETE /api/v1/monitor/messages/session/{session_id}', kinds: ['session'], status: 204 },
  { route: 'GET /api/v1/monitor/builds', kinds: [], status: 200, query: (ids) => `?flow_id=${ids.flow}` },
  { route: 'DELETE /api/v1/monitor/builds', kinds: [], status: 204, query: (ids) => `?flow_id=${ids.flow}` },
  {
    route: 'GET /api/v1/monitor/transactions',
    kinds: [],
    status: 200,
    query: (ids) => `?flow_id=${ids.flow}`,
  },
  { route: 'GET /api/v1/monitor/traces', kinds: [], status: 200, query: (ids) => `?flow_id=${ids.flow}` },
  { route: 'GET /api/v1/monitor/traces/{trace_id}', kinds: ['run'] },
  { route: 'DELETE /api/v1/monitor/traces/{trace_id}', kinds: ['run'] },
  { route: 'DELETE /api/v1/monitor/traces', kinds: [], query: (ids) => `?flow_id=${ids.flow}` },
  { route: 'GET /api/v1/triggers', kinds: [], query: (ids) => `?flow_id=${ids.flow}` },
  {
    route: 'POST /api/v1/triggers',
    kinds: [],
    body: (ids) => ({ flow_id: ids.flow, name: 'x', kind: 'inbound_webhook' }),
  },
  ...['GET', 'DELETE'].map((method): RouteCase => ({
    route: `${method} /api/v1/triggers/{trigger_id}`,
    kinds: ['trigger'],
  })),
  { route: 'PATCH /api/v1/triggers/{trigger_id}', kinds: ['trigger'], body: () => ({ name: 'taken' }) },
  ...['enable', 'disable'].map((action): RouteCase => ({
    route: `POST /api/v1/triggers/{trigger_id}/${action}`,
    kinds: ['trigger'],
  })),
  ...['events', 'rejections', 'ingress'].map((part): RouteCase => ({
    route: `GET /api/v1/triggers/{trigger_id}/${part}`,
    kinds: ['trigger'],
  })),
  { route: 'POST /api/v1/triggers/{trigger_id}/signing-secret', kinds: ['hook'] },
  {
    route: 'POST /api/v1/triggers/{trigger_id}/pin',
    kinds: ['trigger'],
    body: () => ({ flow_version_id: null }),
  },
  { route: 'POST /api/v1/triggers/{trigger_id}/test', kinds: ['trigger'], body: () => ({}) },
  {
    route: 'POST /api/v1/triggers/{trigger_id}/replay',
    kinds: ['trigger'],
    body: () => ({ event_id: UNKNOWN_TEXT }),
  },
  { route: 'GET /api/v1/schedules/{schedule_id}', kinds: ['trigger'] },
  { route: 'GET /api/v1/callbacks', kinds: [], status: 200, query: (ids) => `?flow_id=${ids.flow}` },
  { route: 'GET /api/v1/callbacks', kinds: [], status: 200, query: (ids) => `?run_id=${ids.run}` },
  ...['GET', 'DELETE'].map((method): RouteCase => ({
    route: `${method} /api/v1/callbacks/{callback_id}`,
    kinds: ['callback'],
  })),
  { route: 'POST /api/v1/callbacks/{callback_id}/replay', kinds: ['callback'] },
  {
    route: 'POST /api/v1/callbacks/replay',
    kinds: [],
    status: 202,
    body: (ids) => ({ callbacks: [ids.callback] }),
  },
  { route: 'PATCH /api/v1/variables/{variable_id}', kinds: ['variable'], body: () => ({ value: 'taken' }) },
  { route: 'DELETE /api/v1/variables/{variable_id}', kinds: ['variable'] },
  { route: 'GET /api/v1/runs/{run_id}/request', kinds: ['run'] },
  { route: 'DELETE /api/v1/console/sessions/{session_id}', kinds: ['consoleSession'] },
  { route: 'POST /api/v1/api_key/{api_key_id}/rotate', kinds: ['key'], status: 400 },
  { route: 'DELETE /api/v1/api_key/{api_key_id}', kinds: ['key'], status: 400 },
  { route: 'GET /api/v2/mcp/servers/{server_name}', kinds: ['server'], status: 200 },
  {
    route: 'PATCH /api/v2/mcp/servers/{server_name}',
    kinds: ['server'],
    body: () => ({ url: 'https://taken.example' }),
  },
  { route: 'DELETE /api/v2/mcp/servers/{server_name}', kinds: ['server'] },
];

/** Routes with a path parameter that the caller can choose freely, or that is not looked up. */
const elsewhere = new Map([
  ['POST /api/v2/mcp/servers/{server_name}', 'creates one with a name of the caller'],
  ['PUT /api/v1/flows/{flow_id}', 'creates one; see below'],
  ['PUT /api/v1/projects/{project_id}', 'creates one; see projects.test.ts'],
  ['GET /api/v1/webhook/{flow}', 'is answered by ingest; see its answer-challenge.test.ts'],
  ['POST /api/v1/webhook/{flow}', 'is answered by ingest; see its webhook-caller.test.ts'],
  [
    'POST /api/v1/triggers/ingress/{provider}/{public_id}',
    'is answered by ingest; see its trigger-handler.test.ts',
  ],
  ...['webhook/{flow}', 'triggers/ingress/{provider}/{public_id}'].flatMap((path) =>
    ['HEAD', 'OPTIONS'].map((method): [string, string] => [
      `${method} /api/v1/${path}`,
      'is answered by ingest, alike for every address; see its webhook-bodies.test.ts',
    ]),
  ),
  ['GET /api/v1/a2a/{flow_id}/.well-known/agent-card.json', 'is public; see agent-card.test.ts'],
  ['POST /api/v1/a2a/{flow_id}/jsonrpc', 'needs an agent; see a2a.test.ts'],
  ['POST /api/v1/mcp/project/{project_id}/streamable', 'needs other headers; see mcp.test.ts'],
  ['GET /api/v1/mcp/project/{project_id}/sse', 'is a stream; see mcp.test.ts'],
  ['HEAD /api/v1/mcp/project/{project_id}/sse', 'is public and the same for every id'],
  ['POST /api/v1/mcp/project/{project_id}/', 'needs a stream; see mcp.test.ts'],
  ['POST /api/v1/predict/{flow}', 'is deprecated and refuses every request'],
  ['POST /api/v1/process/{flow}', 'is deprecated and refuses every request'],
  ['GET /api/v1/task/{task}', 'is deprecated and refuses every request'],
  ...['GET', 'DELETE'].map((method): [string, string] => [
    `${method} /api/v1/mcp/project/{project_id}/streamable`,
    'refuses every request',
  ]),
  ['GET /api/v1/users/{user_id}', 'is for admins and the user; see users.test.ts'],
  ['PATCH /api/v1/users/{user_id}', 'is for admins and the user; see users.test.ts'],
  ['DELETE /api/v1/users/{user_id}', 'is for admins; see user-deletion.test.ts'],
  ['GET /api/v1/author-code/{sha256}', 'is for admins, and code is the same for all users'],
  ['PUT /api/v1/author-code/{sha256}', 'is for admins, and code is the same for all users'],
  ['DELETE /api/v1/author-code/{sha256}', 'is for admins, and code is the same for all users'],
]);

/** Of how many routes one is followed by a comparison of all resources. The one at the end finds what any of them changed. */
const COMPARED = Math.ceil(routes.length / propertyCases(routes.length));

let gateway: TestGateway;
let first: Tenant;
let second: Tenant;
/** What each tenant owns. No request of these tests changes it. */
const resources = new Map<Tenant, readonly unknown[]>();
beforeAll(async () => {
  gateway = await openTestGateway();
  first = await makeTenant(gateway, 'first');
  second = await makeTenant(gateway, 'second');
  for (const tenant of [first, second]) resources.set(tenant, await resourcesOf(tenant));
}, 60_000);
afterAll(() => gateway.close());

test('S4: every route with an id in its path is tested here', async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
  const withParameters = Object.entries(paths).flatMap(([template, methods]) =>
    template.includes('{') ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${template}`) : [],
  );
  const known = new Set([...routes.map(({ route }) => route), ...elsewhere.keys()]);
  expect(withParameters.filter((route) => !known.has(route))).toEqual([]);
  expect(withParameters.length).toBeGreaterThan(25);
});

const numbered = routes.map((routeCase, index) => ({ ...routeCase, index }));

test.each(numbered)('S4: $route: a foreign id is answered like an unknown id', async (routeCase) => {
  for (const [owner, stranger] of [
    [first, second],
    [second, first],
  ] as const) {
    const foreign = await ask(stranger, routeCase, owner.ids);
    const unknown = await ask(stranger, routeCase, nothing);
    expect(foreign.status).toBe(routeCase.status ?? 404);
    expect(comparable(foreign, owner.ids)).toEqual(comparable(unknown, nothing));
    // A GET that changes something is found by the comparison after a later route, or by the one at the end.
    if (!routeCase.route.startsWith('GET ') && routeCase.index % COMPARED === 0)
      expect(await resourcesOf(owner)).toEqual(resources.get(owner));
  }
});

test('S4: no request changed what the other tenant owns', async () => {
  for (const tenant of [first, second]) expect(await resourcesOf(tenant)).toEqual(resources.get(tenant));
});

test('PUT with the id of a foreign flow creates a different flow', async () => {
  const before = await resourcesOf(first);
  const put = await second.call('PUT', `/api/v1/flows/${first.ids.flow}`, flowBody());
  expect(put.status).toBe(201);
  expect((put.json as { id: string }).id).not.toBe(first.ids.flow);
  expect(await resourcesOf(first)).toEqual(before);
});

function ask(tenant: Tenant, { route, kinds, query, body }: RouteCase, ids: TenantIds): Promise<Answer> {
  const [method = '', template = ''] = route.split(' ');
  const left = [...kinds];
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(ids[left.shift() ?? 'flow']));
  return tenant.call(method, path + (query?.(ids) ?? ''), body?.(ids));
}

/** Returns an answer without the input of the caller and without values that differ in every answer. */
function comparable({ status, headers, text }: Answer, ids: TenantIds): unknown {
  const given = new Set(Object.values(ids) as string[]);
  const withoutIds = [...given].reduce((rest, id) => rest.replaceAll(id, '…'), text);
  const names = [...headers.keys()].sort();
  const plain = withoutIds
    .replace(/"(created_at|completed_at|timestamp)":[^,}]+/g, '')
    .replace(/[0-9a-f-]{36}/g, '…');
  return { status, plain, names, code: headers.get('x-error-code') };
}

/** Reads everything that a tenant owns. */
async function resourcesOf({ call, ids }: Tenant): Promise<readonly unknown[]> {
  const paths = [
    `/api/v1/flows/${ids.flow}`,
    `/api/v1/runs/${ids.run}`,
    `/api/v2/files/${ids.file}`,
    `/api/v1/monitor/messages?session_id=${ids.session}`,
    `/api/v1/projects/${ids.project}`,
    '/api/v1/variables/',
    '/api/v2/files',
    `/api/v1/triggers/${ids.trigger}`,
    `/api/v1/triggers?flow_id=${ids.flow}`,
    `/api/v1/triggers/${ids.hook}/ingress`,
    `/api/v1/callbacks/${ids.callback}`,
    `/api/v1/runs/${ids.run}/trace`,
    `/api/v1/monitor/traces?flow_id=${ids.flow}`,
    `/api/v1/files/list/${ids.flow}`,
    `/api/v2/mcp/servers/${ids.server}`,
    `/api/v1/knowledge_bases/${ids.knowledge}`,
    '/api/v1/runs',
  ];
  const found = await Promise.all(paths.map((path) => call('GET', path)));
  const keys = (await call('GET', '/api/v1/api_key/')).json as { api_keys: readonly { id: string }[] };
  const { sessions } = (await call('GET', '/api/v1/console/sessions')).json as {
    readonly sessions: readonly { id: string }[];
  };
  const owned = sessions.map(({ id }) => id);
  return [...found.map(({ status, text }) => [status, text]), owned, keys.api_keys.map(({ id }) => id)];
}
