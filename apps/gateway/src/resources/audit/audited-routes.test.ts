import { uuidv7 } from '@millrace/service';
import type { OpenApiDocument } from '../../openapi/openapi-document';
import { fromConsole } from '../../testing/console-session';
import { ask, routeCases } from '../../testing/route-cases';
import type { RouteCase } from '../../testing/route-cases';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';
import type { Answer } from '../../testing/test-gateway';
import { auditedEntries } from './audited-entries.fixture';
import { unaudited } from './unaudited-routes.fixture';

const SHA256 = 'a'.repeat(64);
const empty = (name: string) => ({ name, data: { nodes: [], edges: [] } });
const file = (name: string, content: string) => {
  const form = new FormData();
  form.set('file', new Blob([content]), name);
  return form;
};

interface Changed {
  readonly tenant: Tenant;
  /** A run of the tenant that is dead. */
  readonly deadRun: () => Promise<string>;
  /** A run of the tenant that waits. */
  readonly waitingRun: () => Promise<string>;
}

interface AuditedRoute {
  readonly route: string;
  /** The actions of the entries, in order. */
  readonly actions: readonly string[];
  readonly send: (changed: Changed) => Promise<Answer>;
}

const one = (
  route: string,
  action: string | readonly string[],
  send: (changed: Changed) => Promise<Answer> = ({ tenant }) => ask(tenant, caseOf(route), tenant.ids),
): AuditedRoute => ({ route, actions: typeof action === 'string' ? [action] : action, send });

function caseOf(route: string): RouteCase {
  const found = routeCases.find((routeCase) => routeCase.route === route);
  if (found === undefined) throw new Error(`${route} has no case`);
  return found;
}

/** Each route that changes something for good, with the entries of one request. */
const audited: readonly AuditedRoute[] = [
  one('POST /api/v1/api_key/', 'key.created', ({ tenant }) =>
    tenant.call('POST', '/api/v1/api_key/', { name: 'ci' }),
  ),
  one('POST /api/v1/api_key/{api_key_id}/rotate', ['key.created', 'key.rotated']),
  one('PATCH /api/v1/api_key/{api_key_id}', 'key.updated'),
  one('DELETE /api/v1/api_key/{api_key_id}', 'key.deleted'),
  one('POST /api/v1/console/session', 'session.created', ({ tenant }) =>
    gateway.call('POST', '/api/v1/console/session', { api_key: tenant.key }, fromConsole),
  ),
  one('DELETE /api/v1/console/session', 'session.ended', ({ tenant }) =>
    gateway.call('DELETE', '/api/v1/console/session', undefined, { ...fromConsole, cookie: tenant.cookie }),
  ),
  one('DELETE /api/v1/console/sessions/{session_id}', 'session.ended'),
  ...(['key', 'project', 'flow'] as const).map((kind) => {
    const [name, parameter] = {
      key: ['api_key', 'api_key_id'],
      project: ['projects', 'project_id'],
      flow: ['flows', 'flow_id'],
    }[kind];
    return one(`PUT /api/v1/limits/${name}/{${parameter}}`, 'limits.changed', ({ tenant }) =>
      tenant.call('PUT', `/api/v1/limits/${name}/${tenant.ids[kind]}`, { requests_per_second: 100 }),
    );
  }),
  one('POST /api/v1/flows/{flow_id}/pause', 'flow.paused'),
  one('POST /api/v1/flows/{flow_id}/resume', 'flow.resumed'),
  one('POST /api/v1/flows/', 'flow.created', ({ tenant }) =>
    tenant.call('POST', '/api/v1/flows/', empty('one')),
  ),
  one('POST /api/v1/flows/upload/', ['flow.created', 'flow.code_accepted'], ({ tenant }) =>
    tenant.call('POST', '/api/v1/flows/upload/?code=stock', file('flow.json', JSON.stringify(empty('two')))),
  ),
  one('POST /api/v1/flows/batch/', ['flow.created', 'flow.created'], ({ tenant }) =>
    tenant.call('POST', '/api/v1/flows/batch/', { flows: [empty('a'), empty('b')] }),
  ),
  one('PATCH /api/v1/flows/{flow_id}', 'flow.updated'),
  one('PUT /api/v1/flows/{flow_id}', 'flow.updated', ({ tenant }) =>
    tenant.call('PUT', `/api/v1/flows/${tenant.ids.flow}`, empty('other')),
  ),
  one('POST /api/v1/flows/{flow_id}/accepted-code', 'flow.code_accepted', ({ tenant }) =>
    tenant.call('POST', `/api/v1/flows/${tenant.ids.flow}/accepted-code`, { vertices: 'all' }),
  ),
  one('POST /api/v1/flows/{flow_id}/versions/{version}/activate', 'flow.version_activated'),
  one('DELETE /api/v1/flows/{flow_id}', 'flow.deleted'),
  one('DELETE /api/v1/flows/', 'flow.deleted'),
  one('POST /api/v1/projects/', 'project.created', ({ tenant }) =>
    tenant.call('POST', '/api/v1/projects/', { name: 'new' }),
  ),
  one('POST /api/v1/projects/upload/', ['project.created', 'flow.created'], ({ tenant }) =>
    tenant.call(
      'POST',
      '/api/v1/projects/upload/',
      file('p.json', JSON.stringify({ folder_name: 'up', flows: [empty('three')] })),
    ),
  ),
  one('PATCH /api/v1/projects/{project_id}', 'project.updated'),
  one('PUT /api/v1/projects/{project_id}', 'project.updated', ({ tenant }) =>
    tenant.call('PUT', `/api/v1/projects/${tenant.ids.project}`, { name: 'replaced' }),
  ),
  one('DELETE /api/v1/projects/{project_id}', ['flow.deleted', 'project.deleted']),
  one('PUT /api/v1/members/{project_id}/{user}', 'project.shared', ({ tenant }) =>
    tenant.call('PUT', `/api/v1/members/${tenant.ids.project}/${gateway.user.id}`, {
      role: 'viewer',
    }),
  ),
  one('DELETE /api/v1/members/{project_id}/{user}', 'project.unshared', async ({ tenant }) => {
    const path = `/api/v1/members/${tenant.ids.project}/${gateway.user.id}`;
    const { rows } = await gateway.database.query<{ id: string }>({
      text: 'SELECT user_id AS id FROM projects WHERE id = $1',
      values: [tenant.ids.project],
    });
    const [projectId, userId] = [tenant.ids.project, gateway.user.id];
    const member = { role: 'viewer', payloads: false } as const;
    await gateway.members.put({ ownerId: rows[0]?.id ?? '', projectId, userId }, member);
    return tenant.call('DELETE', path);
  }),
  one('DELETE /api/v1/memberships/{project_id}', 'project.unshared', async ({ tenant }) => {
    const { id: userId } = (await tenant.call('GET', '/api/v1/users/whoami')).json as { readonly id: string };
    const { id: ownerId, folderId: projectId } = gateway.user;
    await gateway.members.put({ ownerId, projectId, userId }, { role: 'viewer', payloads: false });
    return tenant.call('DELETE', `/api/v1/memberships/${projectId}`);
  }),
  one('POST /api/v1/variables/', 'variable.created', ({ tenant }) =>
    tenant.call('POST', '/api/v1/variables/', { name: 'NEW', value: 'v' }),
  ),
  one('PATCH /api/v1/variables/{variable_id}', 'variable.updated'),
  one('DELETE /api/v1/variables/{variable_id}', 'variable.deleted'),
  one('POST /api/v1/callbacks/replay', 'callback.replayed'),
  one('POST /api/v1/callbacks/{callback_id}/replay', 'callback.replayed'),
  one('DELETE /api/v1/callbacks/{callback_id}', 'callback.deleted'),
  one('POST /api/v1/triggers', 'trigger.created'),
  one('PATCH /api/v1/triggers/{trigger_id}', 'trigger.updated'),
  one('POST /api/v1/triggers/{trigger_id}/enable', 'trigger.enabled'),
  one('POST /api/v1/triggers/{trigger_id}/disable', 'trigger.disabled'),
  one('POST /api/v1/triggers/{trigger_id}/pin', 'trigger.pinned'),
  one('POST /api/v1/triggers/{trigger_id}/signing-secret', 'trigger.secret_rotated'),
  one('DELETE /api/v1/triggers/{trigger_id}', 'trigger.deleted'),
  ...['', '/'].flatMap((end) => [
    one(`POST /api/v1/knowledge_bases${end}`, 'knowledge_base.created', ({ tenant }) =>
      tenant.call('POST', `/api/v1/knowledge_bases${end}`, {
        name: `another${end.length}`,
        embedding_provider: 'OpenAI',
        embedding_model: 'm',
      }),
    ),
    one(`DELETE /api/v1/knowledge_bases${end}`, 'knowledge_base.deleted', ({ tenant }) =>
      tenant.call('DELETE', `/api/v1/knowledge_bases${end}`, { kb_names: [tenant.ids.knowledge] }),
    ),
  ]),
  one('POST /api/v1/knowledge_bases/{kb_name}/ingest', ['flow.created', 'file.uploaded']),
  one('DELETE /api/v1/knowledge_bases/{kb_name}', 'knowledge_base.deleted'),
  one('POST /api/v2/mcp/servers/{server_name}', 'mcp_server.created', ({ tenant }) =>
    tenant.call('POST', '/api/v2/mcp/servers/new', { url: 'https://mcp.test' }),
  ),
  one('PATCH /api/v2/mcp/servers/{server_name}', 'mcp_server.saved'),
  one('DELETE /api/v2/mcp/servers/{server_name}', 'mcp_server.deleted'),
  one('POST /api/v2/files', 'file.uploaded', ({ tenant }) =>
    tenant.call('POST', '/api/v2/files', file('a.txt', 'a')),
  ),
  one('POST /api/v2/files/', 'file.uploaded', ({ tenant }) =>
    tenant.call('POST', '/api/v2/files/', file('a.txt', 'a')),
  ),
  one('PUT /api/v2/files/{file_id}', 'file.renamed'),
  one('DELETE /api/v2/files/{file_id}', 'file.deleted'),
  one('DELETE /api/v2/files/batch/', 'file.deleted'),
  one('DELETE /api/v2/files', 'file.deleted', ({ tenant }) => tenant.call('DELETE', '/api/v2/files')),
  one('DELETE /api/v2/files/', 'file.deleted', ({ tenant }) => tenant.call('DELETE', '/api/v2/files/')),
  ...['files/upload', 'upload'].map((path) =>
    one(`POST /api/v1/${path}/{flow_id}`, 'file.uploaded', ({ tenant }) =>
      tenant.call('POST', `/api/v1/${path}/${tenant.ids.flow}`, file('a.txt', 'a')),
    ),
  ),
  one('DELETE /api/v1/files/delete/{flow_id}/{file_name}', 'file.deleted'),
  one('POST /api/v1/runs/{run_id}/cancel', 'run.cancelled', async ({ tenant, waitingRun }) =>
    tenant.call('POST', `/api/v1/runs/${await waitingRun()}/cancel`),
  ),
  one('POST /api/v2/workflows/stop', 'run.cancelled', async ({ tenant, waitingRun }) =>
    tenant.call('POST', '/api/v2/workflows/stop', { job_id: await waitingRun() }),
  ),
  one('POST /api/v2/workflows/{job_id}/resume', 'run.answered', async ({ tenant, waitingRun }) => {
    const runId = await waitingRun();
    await gateway.runs.claim([{ runId, worker: 'one', redelivered: false }]);
    const asked = { kind: 'node_input', prompt: '', options: [], timeout_seconds: 0 } as const;
    const request = { ...asked, request_id: 'x', allowed_decisions: ['yes'], fallback_action: null };
    await gateway.runs.suspend({ runId, attempt: 1, results: '{}', requests: [request], messages: [] });
    const decision = { action_id: 'yes' };
    return tenant.call('POST', `/api/v2/workflows/${runId}/resume`, { request_id: 'x', decision });
  }),
  one('POST /api/v1/runs/{run_id}/replay', 'run.replayed', async ({ tenant, deadRun }) =>
    tenant.call('POST', `/api/v1/runs/${await deadRun()}/replay`),
  ),
  one('POST /api/v1/runs/replay', ['run.replayed', 'run.replayed'], async ({ tenant, deadRun }) =>
    tenant.call('POST', '/api/v1/runs/replay', { runs: [await deadRun(), await deadRun()] }),
  ),
  one('POST /api/v1/runs/bulk', 'run.cancelled', async ({ tenant, waitingRun }) => {
    await Promise.all([waitingRun(), waitingRun()]);
    const body = { action: 'cancel', filter: { status: ['accepted'] } };
    const counted = await tenant.call('POST', '/api/v1/runs/bulk', { ...body, dry_run: true });
    return tenant.call('POST', '/api/v1/runs/bulk', {
      ...body,
      token: (counted.json as { token: string }).token,
    });
  }),
  one('DELETE /api/v1/runs/{run_id}', 'run.deleted', async ({ tenant, deadRun }) =>
    tenant.call('DELETE', `/api/v1/runs/${await deadRun()}`),
  ),
  one('DELETE /api/v1/runs', 'run.deleted', async ({ tenant, deadRun }) => {
    await Promise.all([deadRun(), deadRun()]);
    return tenant.call('DELETE', '/api/v1/runs?status=dead');
  }),
  one('DELETE /api/v1/monitor/traces/{trace_id}', 'trace.deleted'),
  one('DELETE /api/v1/monitor/traces', 'trace.deleted'),
  one('DELETE /api/v1/monitor/builds', 'trace.deleted'),
];

/** Routes of admins, whose entries name the admin. */
const auditedForAdmins: readonly (readonly [route: string, actions: readonly string[], body: unknown])[] = [
  ['POST /api/v1/users', ['user.created', 'key.created'], { username: 'new-1' }],
  ['POST /api/v1/users/', ['user.created', 'key.created'], { username: 'new-2' }],
  ['PUT /api/v1/author-code/{sha256}', ['author_code.approved'], { status: 'approved' }],
  ['PUT /api/v1/author-code/{sha256}', ['author_code.refused'], { status: 'refused' }],
  ['DELETE /api/v1/author-code/{sha256}', ['author_code.deleted'], undefined],
];

/** Routes that change or delete many objects with one entry. */
const changesMany: readonly string[] = [
  'POST /api/v1/runs/bulk',
  'DELETE /api/v1/runs',
  'DELETE /api/v1/monitor/traces',
  'DELETE /api/v1/monitor/builds',
  'DELETE /api/v2/files',
  'DELETE /api/v2/files/',
];

/** The texts of the entries of each route. */
const written: Record<string, string[]> = {};

function note(
  route: string,
  entries: readonly {
    readonly action: string;
    readonly objectName: string | null;
    readonly detail: string;
  }[],
): void {
  const texts = entries.map(({ action, objectName, detail }) =>
    `${action} ${objectName ?? ''} ${detail}`
      .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d/g, '…')
      .replace(/tenant-\d+/g, 'tenant')
      // The name of a file that is uploaded twice.
      .replace(' (1).txt', '.txt'),
  );
  (written[route] ??= []).push(...texts);
}

let tenants = 0;
/** Routes that delete what a tenant has, or need it as it was created. */
const NEEDS_OWN_TENANT = /^DELETE |\/callbacks\/\{callback_id\}\/replay$/;
/** The tenant of the other routes. */
let lasting: Tenant | undefined;
const gateway = gatewayForTests();

const head = async () => (await gateway.audit.chain()).head.position;

async function tenantFor(route: string): Promise<Tenant> {
  const create = () => makeTenant(gateway, `tenant-${(tenants += 1)}`);
  return NEEDS_OWN_TENANT.test(route) ? create() : (lasting ??= await create());
}

/** The entries after a position, oldest first. */
async function entriesAfter(position: number) {
  const entries = await gateway.audit.list({ limit: 100 });
  return entries.filter((entry) => entry.position > position).reverse();
}

/** Creates a run of a tenant; it waits unless it is to be dead. */
async function makeRun({ ids }: Tenant, { isDead }: { readonly isDead: boolean }): Promise<string> {
  const { runs } = gateway;
  const { rows } = await gateway.database.query<{ userId: string }>({
    text: `SELECT user_id AS "userId" FROM flows WHERE id = $1`,
    values: [ids.flow],
  });
  const id = uuidv7();
  const outputs = { by: 'type', type: 'chat' } as const;
  const texts = { form: 'webhook', tweaks: {}, stream: false, sessionId: 's', globalVariables: {} } as const;
  const place = { flowId: ids.flow, flowVersion: 1, userId: rows[0]?.userId ?? '', pool: 'default' };
  const request = { ...texts, inputs: [], outputs };
  const limits = { limitMilliseconds: 1_000, maximumAttempts: 3 };
  await runs.accept([
    { id, ...place, ...limits, lane: 'background', origin: 'webhook', request, sessionId: 's' },
  ]);
  if (!isDead) return id;
  await runs.claim([{ runId: id, worker: 'one', redelivered: false }]);
  const failure = { code: 'attempts_exhausted', message: 'given up', vertex: null, problems: [] };
  await runs.complete([{ runId: id, attempt: 1, status: 'dead', result: null, failure, messages: [] }]);
  return id;
}

test('every route that changes something is audited, or is listed here with the reason', async () => {
  const { paths } = (await gateway.call('GET', '/openapi.json')).json as OpenApiDocument;
  const changing = Object.entries(paths).flatMap(([template, methods]) =>
    Object.keys(methods)
      .filter((method) => !['get', 'head', 'options'].includes(method))
      .map((method) => `${method.toUpperCase()} ${template}`),
  );
  const tested = [...audited.map(({ route }) => route), ...auditedForAdmins.map(([route]) => route)];
  const known = new Set([...tested, ...unaudited.keys()]);
  expect(changing.filter((route) => !known.has(route))).toEqual([]);
  expect([...known].filter((route) => !changing.includes(route))).toEqual([]);
  expect(tested.filter((route) => unaudited.has(route))).toEqual([]);
});

test.each(audited)('$route is audited, and its refusal is not', async ({ actions, send, route }) => {
  const tenant = await tenantFor(route);
  const { id: userId } = (await tenant.call('GET', '/api/v1/users/whoami')).json as { id: string };
  const changed = {
    tenant,
    deadRun: () => makeRun(tenant, { isDead: true }),
    waitingRun: () => makeRun(tenant, { isDead: false }),
  };
  const before = await head();
  const answer = await send(changed);
  expect(answer.status).toBeLessThan(300);
  const entries = await entriesAfter(before);
  expect(entries.map(({ action }) => action)).toEqual(actions);
  note(route, entries);
  for (const entry of entries) {
    expect(entry).toMatchObject({
      kind: 'key',
      userId,
      keyId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      requestId: answer.headers.get('x-request-id'),
      clientAddress: expect.stringMatching(/127\.0\.0\.1$/),
    });
    if (!changesMany.includes(route)) expect(entry.objectId).toBeTruthy();
  }
  const after = await head();
  const [method = '', template = ''] = route.split(' ');
  const unknown = template.replace(/\{\w+\}/g, '00000000-0000-4000-8000-00000000000e');
  if (unknown === template || method === 'POST' || method === 'PATCH' || method === 'PUT') return;
  expect((await tenant.call(method, unknown)).status).toBeGreaterThanOrEqual(400);
  expect(await head()).toBe(after);
});

test.each(auditedForAdmins)('%s is audited as %j', async (route, actions, body) => {
  const before = await head();
  const [method = '', template = ''] = route.split(' ');
  const answer = await gateway.call(method, template.replace('{sha256}', SHA256), body);
  expect(answer.status).toBeLessThan(300);
  const entries = await entriesAfter(before);
  expect(entries.map(({ action }) => action)).toEqual(actions);
  note(route, entries);
  for (const { userId } of entries) expect(userId).toBe(gateway.user.id);
});

test('an entry names its object and says what was done', () => {
  expect(written).toEqual(auditedEntries);
});

test('the first user and the bootstrap key have entries of the system', async () => {
  const first = (await gateway.audit.list({ limit: 2, before: 3 })).reverse();
  expect(first).toMatchObject([
    { kind: 'system', action: 'user.created', objectName: 'admin', userId: null },
    { kind: 'system', action: 'key.created', objectName: 'bootstrap' },
  ]);
});
