import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunTrace } from '@millrace/runs';
import { signIn } from './console-session';
import type { Answer, TestGateway } from './test-gateway';

const echo = JSON.parse(readFileSync(join(__dirname, '../../../../examples/echo.json'), 'utf8')) as object;

const trace: RunTrace = {
  version: 1,
  attempt: 1,
  reason: 'sampled',
  startedAt: 0,
  milliseconds: 1,
  vertices: [],
  omitted: 0,
};

/** One user of a gateway, with one resource of every kind that has an id or a name. */
export interface Tenant {
  readonly ids: TenantIds;
  readonly key: string;
  /** The cookie of a session of the web console. */
  readonly cookie: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
}

export interface TenantIds {
  readonly flow: string;
  readonly endpoint: string;
  readonly run: string;
  readonly job: string;
  readonly session: string;
  readonly message: string;
  readonly variable: string;
  /** A schedule that is pending. */
  readonly trigger: string;
  /** A trigger that is an inbound webhook. */
  readonly hook: string;
  /** A callback that was given up. */
  readonly callback: string;
  readonly project: string;
  readonly key: string;
  /** A session of the web console. */
  readonly consoleSession: string;
  readonly file: string;
  readonly flowFile: string;
  readonly server: string;
  readonly knowledge: string;
  /** A version of the flow; last, since it occurs in other ids. */
  readonly version: string;
}

/**
 * Creates a user with a key and with one resource of every kind. With a key it creates the resources for its user, in a project
 * of their own.
 */
export async function makeTenant(gateway: TestGateway, name: string, givenKey?: string): Promise<Tenant> {
  const key = givenKey ?? (await newUserKey(gateway, name));
  const headers = { 'x-api-key': key };
  const call: Tenant['call'] = (method, path, body) => gateway.call(method, path, body, headers);
  const created = async (method: string, path: string, body: unknown) => {
    const answer = await call(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json as Record<string, string>;
  };
  const own = {
    endpoint: `${name}-flow`,
    session: `${name}-session`,
    server: `${name}-server`,
    knowledge: `${name}_base`,
  };
  const project =
    givenKey === undefined ? null : await created('POST', '/api/v1/projects/', { name: `${name}-project` });
  const flow = await created('POST', '/api/v1/flows/', {
    ...echo,
    ...(project && { folder_id: project['id'] }),
    name: own.endpoint,
    endpoint_name: own.endpoint,
  });
  const variable = await created('POST', '/api/v1/variables/', {
    name: `${name}_V`,
    value: 'v',
    type: 'Generic',
    default_fields: [],
  });
  const trigger = await created('POST', '/api/v1/triggers', {
    flow_id: flow['id'],
    name: 'hourly',
    kind: 'schedule',
    config: { cron: '0 * * * *' },
  });
  const hook = await created('POST', '/api/v1/triggers', {
    flow_id: flow['id'],
    name: 'hook',
    kind: 'inbound_webhook',
  });
  const another = await created('POST', '/api/v1/api_key/', { name: 'another' });
  const run = await call('POST', `/api/v1/run/${flow['id']}`, { input_value: 'x', session_id: own.session });
  const job = await created('POST', '/api/v2/workflows', {
    flow_id: flow['id'],
    mode: 'sync',
    input_value: 'x',
  });
  await gateway.database.query({
    text: `INSERT INTO run_traces (run_id, flow_id, user_id, body) SELECT id, flow_id, user_id, $2 FROM runs WHERE id = $1`,
    values: [run.headers.get('x-run-id'), JSON.stringify(trace)],
  });
  const callback = randomUUID();
  await gateway.database.query({
    text: `INSERT INTO callback_deliveries (id, run_id, flow_id, user_id, kind, url, target, secrets, has_result, expires_at)
      SELECT $2, id, flow_id, user_id, 'finished', 'https://receiver.test', 'x', '[]', true, now() FROM runs WHERE id = $1`,
    values: [run.headers.get('x-run-id'), callback],
  });
  const messages = await call('GET', `/api/v1/monitor/messages?session_id=${own.session}`);
  const file = await created('POST', '/api/v2/files', upload());
  const flowFile = await created('POST', `/api/v1/files/upload/${flow['id']}`, upload());
  await created('POST', `/api/v2/mcp/servers/${own.server}`, { url: 'https://mcp.example' });
  const model = { embedding_provider: 'OpenAI', embedding_model: 'text-embedding-3-small' };
  await created('POST', '/api/v1/knowledge_bases', { name: own.knowledge, ...model });
  const signedIn = await signIn(gateway, key);
  const ids = {
    ...own,
    flow: flow['id'],
    variable: variable['id'],
    trigger: trigger['id'],
    hook: hook['id'],
    callback,
    project: flow['folder_id'],
    key: another['id'],
    consoleSession: signedIn.session.session_id,
    run: run.headers.get('x-run-id'),
    job: job['job_id'],
    message: (messages.json as readonly { id: string }[])[0]?.id,
    file: file['id'],
    flowFile: flowFile['file_path']?.split('/')[1],
    version: '1',
  };
  for (const [kind, id] of Object.entries(ids)) if (!id) throw new Error(`${name} has no ${kind}`);
  return { call, key, cookie: signedIn.cookie, ids: ids as TenantIds };
}

async function newUserKey(gateway: TestGateway, username: string): Promise<string> {
  const { json } = await gateway.call('POST', '/api/v1/users', { username });
  return (json as { api_key: string }).api_key;
}

function upload(): FormData {
  const form = new FormData();
  form.set('file', new Blob(['bytes']), 'own.png');
  return form;
}
