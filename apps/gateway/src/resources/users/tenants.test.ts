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

/** The answers about unknown ids, by the number of their case. */
const answered = new Map<number, string>();
const numbered = routeCases.map((routeCase, index) => ({ ...routeCase, index }));

test.each(numbered)('S4: $route: a foreign id is answered like an unknown id', async (routeCase) => {
  for (const [owner, stranger] of [
    [first, second],
    [second, first],
  ] as const) {
    const foreign = await ask(stranger, routeCase, owner.ids);
    const unknown = await ask(stranger, routeCase, nothing);
    const { status, plain, code } = comparable(unknown, nothing);
    answered.set(routeCase.index, [status, code ?? '', plain].join(' '));
    expect(foreign.status).toBe(routeCase.status ?? 404);
    expect(comparable(foreign, owner.ids)).toEqual(comparable(unknown, nothing));
    // A GET that changes something is found by the comparison after a later route, or by the one at the end.
    if (!routeCase.route.startsWith('GET ') && routeCase.index % COMPARED === 0)
      expect(await resourcesOf(owner)).toEqual(resources.get(owner));
  }
});

/** What is answered about ids and names that do not exist, and to how many of the requests. */
const unknownAnswers = new Map([
  ['200  []', 6],
  ['200  null', 1],
  ['200  {"action":"cancel","dry_run":true,"count":0,"complete":true,"token":null}', 1],
  ['200  {"conversations":[],"next_cursor":null}', 2],
  ['200  {"deleted":0}', 2],
  [
    '200  {"error":{"message":"Flow with id \'…\' not found","type":"invalid_request_error","code":"flow_not_found"}}',
    1,
  ],
  [
    '200  {"from":"2026-0…-0…T00:00:00.000Z","before":"2026-0…-02T00:00:00.000Z","complete":true,"rows":[]}',
    1,
  ],
  ['200  {"items":[],"total":0,"page":…,"size":50,"pages":0}', 1],
  ['200  {"limits":[],"complete":true}', 1],
  ['200  {"memberships":[]}', 1],
  ['200  {"messages":[],"next_cursor":null}', 1],
  ['200  {"runs":[],"next_cursor":null,"unrecorded_runs":0}', 3],
  ['200  {"traces":[],"total":0,"pages":0}', 1],
  ['200  {"vertex_builds":{}}', 1],
  ['202  {"replayed":[]}', 1],
  ['202  {"runs":[{"id":"…","replayed_as":null}]}', 1],
  ['204  ', 3],
  ['400 key_unknown {"detail":"API Key not found"}', 5],
  ['403 permission_denied {"detail":"Permission denied"}', 2],
  ['404 flow_unknown {"detail":"Flow identifier … not found"}', 9],
  ['404 flow_unknown {"detail":"Flow not found"}', 20],
  [
    '404 flow_unknown {"detail":{"error":"Flow not found","code":"FLOW_NOT_FOUND","message":"Flow \'…\' does not exist. Verify the flow_id and try again.","flow_id":"…"}}',
    3,
  ],
  [
    '404 flow_unknown {"error":{"message":"Flow identifier … not found","type":"invalid_request_error","param":null,"code":"flow_unknown"}}',
    2,
  ],
  ['404 not_found {"detail":"Callback not found"}', 3],
  ['404 not_found {"detail":"File not found"}', 3],
  ['404 not_found {"detail":"Flow not found"}', 1],
  ['404 not_found {"detail":"Knowledge base \'…\' not found"}', 8],
  ['404 not_found {"detail":"Knowledge bases not found: …"}', 1],
  ['404 not_found {"detail":"Member not found"}', 1],
  ['404 not_found {"detail":"Message not found"}', 1],
  ['404 not_found {"detail":"No files found"}', 2],
  ['404 not_found {"detail":"No flows found."}', 1],
  ['404 not_found {"detail":"No messages found with the given session ID"}', 1],
  ['404 not_found {"detail":"Project not found"}', 12],
  ['404 not_found {"detail":"Run not found"}', 8],
  ['404 not_found {"detail":"Server not found."}', 2],
  ['404 not_found {"detail":"Session not found"}', 1],
  ['404 not_found {"detail":"Trace not found"}', 2],
  ['404 not_found {"detail":"Trigger not found"}', 15],
  ['404 not_found {"detail":"Variable not found"}', 2],
  ['404 not_found {"detail":"Version not found"}', 3],
  [
    '404 not_found {"detail":{"error":"Job not found","code":"JOB_NOT_FOUND","message":"Job … not found","job_id":"…"}}',
    2,
  ],
  ['404 not_found {"detail":{"error":"Workflow job not found","code":"JOB_NOT_FOUND","job_id":"…"}}', 1],
  [
    '404 not_found {"detail":{"error":"Workflow job not found","code":"JOB_NOT_FOUND","message":"Workflow job … not found","job_id":"…"}}',
    1,
  ],
]);

test('an unknown id is answered with the status, the code and the text of its resource', () => {
  const counts = new Map<string, number>();
  for (const text of answered.values()) counts.set(text, (counts.get(text) ?? 0) + 1);
  expect(counts).toEqual(unknownAnswers);
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
