import { propertyCases } from '@millrace/service/testing';
import type { OpenApiDocument } from '../../openapi/openapi-document';
import { makeTenant } from '../../testing/tenant';
import { ask, comparable, nothing, routeCases } from '../../testing/route-cases';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

/** Routes with a path parameter that the caller can choose freely, or that is not looked up. */
const elsewhere = new Map([
  ...['GET /api/v1/sign-on/{issuer}', 'GET /api/v1/sign-on/{issuer}/callback'].map(
    (route): [string, string] => [route, 'names an issuer, which has no owner'],
  ),
  ['POST /api/v1/sign-on/{issuer}/logout', 'names an issuer, which has no owner'],
  ['POST /api/v2/mcp/servers/{server_name}', 'creates one with a name of the caller'],
  ['PUT /api/v1/flows/{flow_id}', 'creates one; see below'],
  ['GET /api/v1/limits/users/{user_id}', 'is for admins; see limits.test.ts'],
  ['PUT /api/v1/limits/users/{user_id}', 'is for admins; see limits.test.ts'],
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
  ['GET /decide/{token}', 'needs a signed link; see human-input.test.ts'],
  ['POST /decide/{token}', 'needs a signed link; see human-input.test.ts'],
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
const COMPARED = Math.ceil(routeCases.length / propertyCases(routeCases.length));

let first: Tenant;
let second: Tenant;
/** What each tenant owns. No request of these tests changes it. */
const resources = new Map<Tenant, readonly unknown[]>();
const gateway = gatewayForTests();
beforeAll(async () => {
  first = await makeTenant(gateway, 'first');
  second = await makeTenant(gateway, 'second');
  for (const tenant of [first, second]) resources.set(tenant, await resourcesOf(tenant));
}, 60_000);

test('S4: every route with an id in its path is tested here', async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
  const withParameters = Object.entries(paths).flatMap(([template, methods]) =>
    template.includes('{') ? Object.keys(methods).map((method) => `${method.toUpperCase()} ${template}`) : [],
  );
  const known = new Set([...routeCases.map(({ route }) => route), ...elsewhere.keys()]);
  expect(withParameters.filter((route) => !known.has(route))).toEqual([]);
  expect(withParameters.length).toBeGreaterThan(25);
});

const numbered = routeCases.map((routeCase, index) => ({ ...routeCase, index }));

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
  const put = await second.call('PUT', `/api/v1/flows/${first.ids.flow}`, {
    name: 'taken',
    data: { nodes: [], edges: [] },
  });
  expect(put.status).toBe(201);
  expect((put.json as { id: string }).id).not.toBe(first.ids.flow);
  expect(await resourcesOf(first)).toEqual(before);
});

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
