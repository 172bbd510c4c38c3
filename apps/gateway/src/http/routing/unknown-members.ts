import { namesOf } from './route';
import type { Method, Route } from './route';

/**
 * What a route does with members of its query and its body that neither Langflow nor Millrace knows there. `refused`: 422
 * names each one. `query refused`: the body is that of another interface or a flow, whose unknown members are ignored.
 * `ignored`: as in Langflow.
 */
export type UnknownMembers = 'refused' | 'query refused' | 'ignored';

/**
 * The routes that do not refuse. All others do: those that Langflow lacks and those that grant rights, since a caller who misspells
 * a member would get more than asked for. A query of a run is refused, since a run cannot be undone.
 */
const decisions: Readonly<Record<Exclude<UnknownMembers, 'refused'>, readonly string[]>> = {
  'query refused': [
    'POST /api/v1/run/:flow',
    'POST /api/v1/run/advanced/:flow',
    'POST /api/v2/workflows',
    'POST /api/v1/responses',
    // As AG-UI requires: clients of later versions send members that this one does not have.
    'POST /api/v1/agui/:flow_id',
    // Clients of OpenAI's interface send members of other servers.
    'POST /v1/chat/completions',
    'POST /api/v1/flows/check',
  ],
  ignored: [
    // Services of mail add parameters to links. A parameter with the name of a field of the form is refused by the route.
    'GET POST /decide/:token',
    'GET /api/v2/workflows',
    'GET /api/v2/workflows/pending',
    'POST /api/v2/workflows/stop',
    'GET /api/v2/workflows/:job_id/events',
    'POST /api/v1/predict/:flow',
    'POST /api/v1/process/:flow',
    'GET /api/v1/task/:task',
    // Clients of OpenAI's interface add the user of a list.
    'GET /v1/models',
    'GET /v1/models/:model',
    // Issuers choose the query and the body.
    'GET /api/v1/sign-on/:issuer/callback',
    'POST /api/v1/sign-on/:issuer/logout',
    // Senders choose the query and the body.
    'POST GET HEAD OPTIONS /api/v1/webhook/:flow',
    'POST HEAD OPTIONS /api/v1/triggers/ingress/:provider/:public_id',
    'GET /api/v1/webhook-events/:flow',
    'POST GET DELETE /api/v1/flows/',
    'POST /api/v1/flows/batch/',
    'POST /api/v1/flows/download/',
    'POST /api/v1/flows/upload/',
    'GET PATCH PUT DELETE /api/v1/flows/:flow_id',
    'GET /api/v1/flows/:flow_id/version-state',
    'GET POST /api/v1/projects/',
    'POST /api/v1/projects/upload/',
    'GET /api/v1/projects/download/:project_id',
    'GET PATCH PUT DELETE /api/v1/projects/:project_id',
    'GET PATCH /api/v1/mcp/project/:project_id',
    'GET DELETE /api/v1/monitor/messages',
    'GET DELETE /api/v1/monitor/messages/sessions',
    'PUT /api/v1/monitor/messages/:message_id',
    'PATCH DELETE /api/v1/monitor/messages/session/:session_id',
    'GET DELETE /api/v1/monitor/builds',
    'GET /api/v1/monitor/job_queue',
    'GET /api/v1/monitor/transactions',
    'GET DELETE /api/v1/monitor/traces',
    'GET DELETE /api/v1/monitor/traces/:trace_id',
    'POST /api/v1/files/upload/:flow_id',
    'POST /api/v1/upload/:flow_id',
    'GET /api/v1/files/list/:flow_id',
    'GET /api/v1/files/download/:flow_id/:file_name',
    'GET /api/v1/files/images/:flow_id/:file_name',
    'DELETE /api/v1/files/delete/:flow_id/:file_name',
    'GET POST DELETE /api/v2/files',
    'GET POST DELETE /api/v2/files/',
    'POST DELETE /api/v2/files/batch/',
    'GET PUT DELETE /api/v2/files/:file_id',
    'POST GET /api/v1/variables/',
    'POST /api/v1/flows/expand/',
    'PATCH DELETE /api/v1/variables/:variable_id',
    ...['', '/'].flatMap((end) =>
      ['GET', 'POST', 'DELETE'].map((method) => `${method} /api/v1/knowledge_bases${end}`),
    ),
    'GET DELETE /api/v1/knowledge_bases/:kb_name',
    'POST /api/v1/knowledge_bases/:kb_name/ingest',
    'GET /api/v1/knowledge_bases/:kb_name/runs',
    'GET /api/v1/knowledge_bases/:kb_name/runs/:run_id',
    'POST /api/v1/knowledge_bases/:kb_name/cancel',
    'GET /api/v1/knowledge_bases/:kb_name/chunks',
    'GET /api/v1/knowledge_bases/:kb_name/metadata/keys',
    'GET /api/v1/a2a/agents',
    'GET /api/v1/a2a/:flow_id/.well-known/agent-card.json',
    'POST /api/v1/a2a/:flow_id/jsonrpc',
    ...['GET', 'POST', 'DELETE'].flatMap((method) => [
      `${method} /api/v1/mcp/project/:project_id/streamable`,
      `${method} /api/v1/mcp/streamable`,
    ]),
    ...['/api/v1/mcp', '/api/v1/mcp/project/:project_id'].flatMap((root) => [
      `GET ${root}/sse`,
      `HEAD ${root}/sse`,
      `POST ${root}/`,
    ]),
    'GET /api/v2/mcp/servers',
    'GET POST PATCH DELETE /api/v2/mcp/servers/:server_name',
    'GET /api/v1/api_key/',
    'GET /api/v1/users',
    'GET /api/v1/users/',
    'GET /api/v1/users/whoami',
    'GET /api/v1/users/:user_id',
    'GET /api/v1/version',
    'GET /api/v1/config',
    'GET /api/v1/session',
    'GET /logs',
    'GET /logs-stream',
    'GET /health',
    'GET /health_check',
    // Probes and browsers add members against caches.
    'GET /healthz',
    'GET /readyz',
    'GET /metrics',
    'GET /',
    'GET /docs',
    'GET /openapi.json',
  ],
};

const byRoute = new Map(
  Object.entries(decisions).flatMap(([decision, routes]) =>
    namesOf(routes).map((route) => [route, decision as UnknownMembers] as const),
  ),
);

/** The routes that do not refuse. */
export const lenientRoutes: readonly string[] = [...byRoute.keys()];

/** Returns what a route does with unknown members. */
export function unknownMembersOf({
  method,
  path,
}: {
  readonly method: Method;
  readonly path: string;
}): UnknownMembers {
  return byRoute.get(`${method} ${path}`) ?? 'refused';
}

/** Returns the route; one that takes no body and refuses unknown members reads it as JSON. */
export function withRefusedBody(route: Route): Route {
  const takesNone = route.body === undefined && route.method !== 'GET';
  return takesNone && unknownMembersOf(route) === 'refused' ? { ...route, body: 'json' } : route;
}
