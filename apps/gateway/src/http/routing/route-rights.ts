import { namesOf } from './route';
import type { Method } from './route';

/** What a caller does at a route. A key with `access` has some of the rights only. */
export type Right = 'read' | 'run' | 'write' | 'admin';

/**
 * Where a request names what it is about, for keys that are bound to flows or projects. `tools`: the route lists or calls only
 * flows within the bounds of the key. `anything`: the route shows nothing of flows. `everything`: the route is about all flows
 * of the user, or about what belongs to none; it refuses bound keys. `project of owner`: the path names a project, and a member of it
 * needs the role owner.
 */
export type Place =
  | 'flow in path'
  | 'model in path'
  | 'flow in body'
  | 'model in body'
  | 'flow in query'
  | 'run in path'
  | 'run in query'
  | 'run in body'
  | 'project in path'
  | 'project of owner'
  | 'project in body'
  | 'tools'
  | 'anything'
  | 'everything';

const FILES = ['/api/v2/files', '/api/v2/files/'];
const PROJECT_TOOLS = '/api/v1/mcp/project/:project_id';
const KNOWLEDGE = '/api/v1/knowledge_bases';

/**
 * The right and the place of every route that takes a key. A bound key has no other scope than `run`, a member of a project can
 * have `manage`.
 */
const table: Readonly<Record<Right, Readonly<Partial<Record<Place, readonly string[]>>>>> = {
  run: {
    'flow in path': [
      'POST /api/v1/run/:flow',
      'POST /api/v1/run/advanced/:flow',
      'POST /run/:flow_id',
      'POST /api/v1/agui/:flow_id',
      'POST /api/v1/a2a/:flow_id/jsonrpc',
      'POST /api/v1/files/upload/:flow_id',
      'POST /api/v1/upload/:flow_id',
    ],
    'flow in body': ['POST /api/v2/workflows'],
    'model in body': ['POST /api/v1/responses', 'POST /v1/chat/completions'],
    'run in path': [
      'POST /api/v1/runs/:run_id/cancel',
      'POST /api/v1/runs/:run_id/replay',
      'POST /api/v2/workflows/:job_id/resume',
    ],
    'run in body': ['POST /api/v2/workflows/stop'],
    'project in path': [
      ...['GET', 'POST', 'DELETE'].map((method) => `${method} ${PROJECT_TOOLS}/streamable`),
      `GET ${PROJECT_TOOLS}/sse`,
      `POST ${PROJECT_TOOLS}/`,
    ],
    tools: [
      ...['GET', 'POST', 'DELETE'].map((method) => `${method} /api/v1/mcp/streamable`),
      'GET /api/v1/mcp/sse',
      'POST /api/v1/mcp/',
    ],
    anything: ['POST /api/v1/predict/:flow', 'POST /api/v1/process/:flow'],
    everything: [
      'POST /api/v1/runs/bulk',
      'POST /api/v1/runs/replay',
      ...FILES.map((path) => `POST ${path}`),
      `POST ${KNOWLEDGE}/:kb_name/ingest`,
      `POST ${KNOWLEDGE}/:kb_name/cancel`,
      'POST /api/v1/triggers/:trigger_id/test',
      'POST /api/v1/triggers/:trigger_id/replay',
      'POST /api/v1/callbacks/replay',
      'POST /api/v1/callbacks/:callback_id/replay',
    ],
  },
  read: {
    'flow in path': [
      'GET /api/v1/flows/:flow_id',
      'GET /api/v1/flows/:flow_id/openapi.json',
      'GET /api/v1/flows/:flow_id/version-state',
      'GET /api/v1/flows/:flow_id/versions',
      'GET /api/v1/flows/:flow_id/versions/:version',
      'GET /api/v1/flows/:flow_id/versions/:version/diff',
      'GET /api/v1/flows/:flow_id/refused-deliveries',
      'GET /api/v1/files/list/:flow_id',
      'GET /api/v1/files/download/:flow_id/:file_name',
      'GET /api/v1/files/images/:flow_id/:file_name',
      'GET /api/v1/webhook-events/:flow',
    ],
    'model in path': ['GET /v1/models/:model'],
    'flow in query': [
      'GET /api/v1/alerts',
      'GET /api/v1/conversations',
      'GET /api/v1/conversations/messages',
      'GET /api/v1/runs',
      'GET /api/v1/runs/events',
      'GET /api/v1/runs/history',
      'GET /api/v1/monitor/builds',
      'GET /api/v1/monitor/messages',
      'GET /api/v1/monitor/messages/sessions',
      'GET /api/v1/monitor/traces',
      'GET /api/v1/monitor/transactions',
      'GET /api/v1/pending',
      'GET /api/v2/workflows/pending',
    ],
    'run in path': [
      'GET /api/v1/runs/:run_id',
      'GET /api/v1/runs/:run_id/attempts',
      'GET /api/v1/runs/:run_id/request',
      'GET /api/v1/runs/:run_id/trace',
      'GET /api/v1/runs/:run_id/waiting',
      'GET /api/v1/monitor/traces/:trace_id',
      'GET /api/v2/workflows/:job_id/events',
    ],
    'run in query': ['GET /api/v2/workflows'],
    'project in path': [`GET ${PROJECT_TOOLS}`],
    'project of owner': ['GET /api/v1/members/:project_id'],
    tools: ['GET /v1/models', 'GET /api/v1/a2a/agents'],
    anything: ['GET /api/v1/users/whoami'],
    everything: [
      'GET /api/v1/flows/stats',
      'GET /api/v1/runs/waiting',
      'GET /api/v1/usage',
      'GET /api/v1/users/:user_id',
      'GET /api/v1/flows/',
      'GET /api/v1/limits',
      'GET /api/v1/limits/flows/:flow_id',
      'POST /api/v1/flows/check',
      'POST /api/v1/flows/download/',
      'POST /api/v1/flows/expand/',
      'GET /api/v1/projects/',
      'GET /api/v1/projects/:project_id',
      'GET /api/v1/limits/projects/:project_id',
      'GET /api/v1/projects/download/:project_id',
      ...['', '/', '/:kb_name', '/:kb_name/chunks', '/:kb_name/metadata/keys'].map(
        (end) => `GET ${KNOWLEDGE}${end}`,
      ),
      `GET ${KNOWLEDGE}/:kb_name/runs`,
      `GET ${KNOWLEDGE}/:kb_name/runs/:run_id`,
      ...FILES.map((path) => `GET ${path}`),
      'GET /api/v2/files/:file_id',
      'POST /api/v2/files/batch/',
      'GET /api/v1/callbacks',
      'GET /api/v1/callbacks/:callback_id',
      'GET /api/v1/triggers',
      'GET /api/v1/triggers/:trigger_id',
      'GET /api/v1/triggers/:trigger_id/events',
      'GET /api/v1/triggers/:trigger_id/ingress',
      'GET /api/v1/triggers/:trigger_id/rejections',
      'GET /api/v1/schedules',
      'GET /api/v1/schedules/:schedule_id',
      'POST /api/v1/schedules/preview',
      'GET /api/v1/variables/',
      'GET /api/v2/mcp/servers',
      'GET /api/v2/mcp/servers/:server_name',
      'GET /api/v1/api_key/',
      'GET /api/v1/limits/api_key/:api_key_id',
      'GET /api/v1/console/sessions',
      'GET /api/v1/memberships',
    ],
  },
  write: {
    'flow in path': [
      'PATCH DELETE /api/v1/flows/:flow_id',
      'POST /api/v1/flows/:flow_id/pause',
      'POST /api/v1/flows/:flow_id/resume',
      'POST /api/v1/flows/:flow_id/versions/:version/activate',
    ],
    'project in body': ['POST /api/v1/flows/'],
    'project of owner': ['PUT DELETE /api/v1/members/:project_id/:user'],
    everything: [
      'POST /api/v1/api_key/',
      'PATCH DELETE /api/v1/api_key/:api_key_id',
      'DELETE /api/v1/memberships/:project_id',
      'POST /api/v1/api_key/:api_key_id/rotate',
      'PUT /api/v1/limits/api_key/:api_key_id',
      'DELETE /api/v1/callbacks/:callback_id',
      'DELETE /api/v1/console/sessions/:session_id',
      'POST /api/v1/erasures',
      'DELETE /api/v1/files/delete/:flow_id/:file_name',
      'DELETE /api/v1/flows/',
      'PUT /api/v1/flows/:flow_id',
      'PUT /api/v1/limits/flows/:flow_id',
      'POST /api/v1/flows/:flow_id/accepted-code',
      'POST /api/v1/flows/:flow_id/test-signature',
      'POST /api/v1/flows/batch/',
      'POST /api/v1/flows/upload/',
      'POST DELETE /api/v1/knowledge_bases',
      'POST DELETE /api/v1/knowledge_bases/',
      'DELETE /api/v1/knowledge_bases/:kb_name',
      'PATCH /api/v1/mcp/project/:project_id',
      'DELETE /api/v1/monitor/builds',
      'DELETE /api/v1/monitor/messages',
      'PUT /api/v1/monitor/messages/:message_id',
      'PATCH DELETE /api/v1/monitor/messages/session/:session_id',
      'DELETE /api/v1/monitor/messages/sessions',
      'DELETE /api/v1/monitor/traces',
      'DELETE /api/v1/monitor/traces/:trace_id',
      'POST /api/v1/projects/',
      'PATCH PUT DELETE /api/v1/projects/:project_id',
      'PUT /api/v1/limits/projects/:project_id',
      'POST /api/v1/projects/upload/',
      'DELETE /api/v1/runs',
      'DELETE /api/v1/runs/:run_id',
      'POST /api/v1/triggers',
      'PATCH DELETE /api/v1/triggers/:trigger_id',
      'POST /api/v1/triggers/:trigger_id/disable',
      'POST /api/v1/triggers/:trigger_id/enable',
      'POST /api/v1/triggers/:trigger_id/pin',
      'POST /api/v1/triggers/:trigger_id/signing-secret',
      'PATCH /api/v1/users/:user_id',
      'POST /api/v1/variables/',
      'PATCH DELETE /api/v1/variables/:variable_id',
      'POST /api/v1/variables/compare',
      'DELETE /api/v2/files',
      'DELETE /api/v2/files/',
      'PUT DELETE /api/v2/files/:file_id',
      'DELETE /api/v2/files/batch/',
      'POST PATCH DELETE /api/v2/mcp/servers/:server_name',
    ],
  },
  admin: {
    everything: [
      'GET /api/v1/audit',
      'GET /api/v1/audit/export',
      'GET /api/v1/author-code',
      'GET PUT DELETE /api/v1/author-code/:sha256',
      'GET /api/v1/autoscale',
      'GET /api/v1/monitor/job_queue',
      'GET /api/v1/system/health',
      'GET /api/v1/system/settings',
      'POST GET /api/v1/users',
      'POST GET /api/v1/users/',
      'DELETE /api/v1/users/:user_id',
      'GET PUT /api/v1/limits/users/:user_id',
      'GET /api/v1/workers',
      'GET /logs',
      'GET /logs-stream',
    ],
  },
};

/** The routes that show a member without the right to payloads what they have else: they have none, or leave it out. */
const showsNoPayloads: ReadonlySet<string> = new Set([
  'GET /v1/models',
  'GET /v1/models/:model',
  'GET /api/v1/a2a/agents',
  'GET /api/v1/alerts',
  'GET /api/v1/flows/:flow_id/refused-deliveries',
  `GET ${PROJECT_TOOLS}`,
  'GET /api/v1/runs',
  'GET /api/v1/runs/history',
  'GET /api/v1/runs/:run_id',
  'GET /api/v1/runs/:run_id/attempts',
  'GET /api/v1/runs/:run_id/waiting',
  'GET /api/v1/users/whoami',
]);

const byRoute = new Map(
  Object.entries(table).flatMap(([right, places]) =>
    Object.entries(places).flatMap(([place, routes]) =>
      namesOf(routes).map((route) => [route, { right: right as Right, place: place as Place }] as const),
    ),
  ),
);

/** The routes with a row. */
export const routesWithRights: readonly string[] = [...byRoute.keys()];

/** Returns the row of a route. Throws where it has none. */
export function rightOf({ method, path }: { readonly method: Method; readonly path: string }): {
  readonly right: Right;
  readonly place: Place;
  readonly showsPayloads: boolean;
} {
  const name = `${method} ${path}`;
  const row = byRoute.get(name);
  if (row === undefined) throw new Error(`${name} has no row in route-rights.ts`);
  return { ...row, showsPayloads: !showsNoPayloads.has(name) };
}
