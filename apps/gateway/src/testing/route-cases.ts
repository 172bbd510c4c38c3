import { uuidv7 } from '@millrace/service';
import type { Tenant, TenantIds } from './tenant';
import type { Answer } from './test-gateway';

const UNKNOWN_TEXT = '00000000-0000-4000-8000-00000000000e';
/** A current run id, so that the gateway searches for a run in progress. */
const UNKNOWN_RUN = uuidv7();
/** Ids and names that do not exist. */
export const nothing: TenantIds = {
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
export interface RouteCase {
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
/** Every place where a caller gives an id or a name. Where a foreign id is not 404, neither is an unknown one. */
export const routeCases: readonly RouteCase[] = [
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
    route: 'POST /api/v1/agui/{flow_id}',
    kinds: ['flow'],
    body: () => ({ threadId: 't', runId: 'r', messages: [] }),
  },
  {
    route: 'POST /api/v1/responses',
    kinds: [],
    status: 200,
    body: (ids) => ({ model: ids.flow, input: 'x' }),
  },
  { route: 'POST /api/v1/flows/{flow_id}/accepted-code', kinds: ['flow'], body: () => ({ vertices: ['a'] }) },
  { route: 'POST /api/v1/flows/{flow_id}/test-signature', kinds: ['flow'], body: () => ({ body: '{}' }) },
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
  ...(
    [
      ['api_key/{api_key_id}', 'key', 400],
      ['projects/{project_id}', 'project', 404],
      ['flows/{flow_id}', 'flow', 404],
    ] as const
  ).flatMap(([path, kind, status]): RouteCase[] => [
    { route: `GET /api/v1/limits/${path}`, kinds: [kind], status },
    { route: `PUT /api/v1/limits/${path}`, kinds: [kind], status, body: () => ({ requests_per_second: 1 }) },
  ]),
  { route: 'GET /api/v1/members/{project_id}', kinds: ['project'] },
  {
    route: 'PUT /api/v1/members/{project_id}/{user}',
    kinds: ['project', 'flow'],
    body: () => ({ role: 'viewer' }),
  },
  { route: 'DELETE /api/v1/members/{project_id}/{user}', kinds: ['project', 'flow'] },
  { route: 'GET /api/v1/memberships', kinds: [], status: 200 },
  { route: 'DELETE /api/v1/memberships/{project_id}', kinds: ['project'] },
  ...['pause', 'resume'].map((action): RouteCase => ({
    route: `POST /api/v1/flows/{flow_id}/${action}`,
    kinds: ['flow'],
  })),
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
  { route: 'GET /api/v1/runs/{run_id}/waiting', kinds: ['run'] },
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
  { route: 'GET /api/v1/limits', kinds: [], status: 200 },
  {
    route: 'GET /api/v1/usage',
    kinds: [],
    status: 200,
    query: (ids) => `?from=2026-01-01&before=2026-01-02&by=flow&flow_id=${ids.flow}`,
  },
  { route: 'GET /api/v1/alerts', kinds: [], status: 200, query: (ids) => `?flow_id=${ids.flow}` },
  { route: 'GET /api/v1/conversations', kinds: [], status: 200, query: (ids) => `?flow_id=${ids.flow}` },
  {
    route: 'GET /api/v1/conversations',
    kinds: [],
    status: 200,
    query: (ids) => `?session_id=${ids.session}`,
  },
  {
    route: 'GET /api/v1/conversations/messages',
    kinds: [],
    status: 200,
    query: (ids) => `?flow_id=${ids.flow}&session_id=${ids.session}`,
  },
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
  {
    route: 'PATCH /api/v1/api_key/{api_key_id}',
    kinds: ['key'],
    status: 400,
    body: () => ({ name: 'taken' }),
  },
  { route: 'DELETE /api/v1/api_key/{api_key_id}', kinds: ['key'], status: 400 },
  { route: 'GET /api/v2/mcp/servers/{server_name}', kinds: ['server'], status: 200 },
  {
    route: 'PATCH /api/v2/mcp/servers/{server_name}',
    kinds: ['server'],
    body: () => ({ url: 'https://taken.example' }),
  },
  { route: 'DELETE /api/v2/mcp/servers/{server_name}', kinds: ['server'] },
];

/** Sends the request of a case with these ids. */
export function ask(
  tenant: Pick<Tenant, 'call'>,
  { route, kinds, query, body }: RouteCase,
  ids: TenantIds,
): Promise<Answer> {
  const [method = '', template = ''] = route.split(' ');
  const left = [...kinds];
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(ids[left.shift() ?? 'flow']));
  return tenant.call(method, path + (query?.(ids) ?? ''), body?.(ids));
}

/** Returns an answer without the input of the caller and without values that differ in every answer. */
export function comparable(
  { status, headers, text }: Answer,
  ids: TenantIds,
): {
  readonly status: number;
  readonly plain: string;
  readonly names: readonly string[];
  readonly code: string | null;
} {
  const given = new Set(Object.values(ids) as string[]);
  const withoutIds = [...given].reduce((rest, id) => rest.replaceAll(id, '…'), text);
  const names = [...headers.keys()].sort();
  const plain = withoutIds
    .replace(/"(created_at|completed_at|timestamp)":[^,}]+/g, '')
    .replace(/[0-9a-f-]{36}/g, '…');
  return { status, plain, names, code: headers.get('x-error-code') };
}
