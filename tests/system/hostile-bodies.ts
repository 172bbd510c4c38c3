import { echo, hook } from './hostile-installation';

/** Bodies whose members are all valid, and what is done with the record that is created. */
export function bodies(flow: string): readonly { readonly path: string; readonly body: object }[] {
  const signature = {
    scheme: 'hmac',
    secrets: ['SECRET'],
    header: 'x-signature',
    encoding: 'hex',
    toleranceSeconds: 5,
  };
  const webhook = {
    challenge: { scheme: 'meta', secrets: ['SECRET'] },
    deliveryIdHeader: 'x-id',
    form: 'json',
  };
  const callbacks = [
    { url: 'https://receiver.test/x', secrets: ['SECRET'], on: ['finished'], result: 'omit' },
    { amqp: { connection: 'SECRET', exchange: 'x', routingKey: 'k' } },
  ];
  const settings = {
    pool: 'default',
    durable: true,
    concurrency: 2,
    deadlineSeconds: 5,
    answeredBy: ['superusers'],
    unfinishedEffects: 'retry',
    callbacks,
    retry: { attempts: 2, backoffSeconds: 1, maximumBackoffSeconds: 1, on: ['internal'] },
    cache: { ttlSeconds: 5 },
    records: { sampleRate: 0.5, values: 'all', steps: 'off' },
    editedCode: 'stock',
    webhook,
  };
  const named = { name: 'n', description: 'd', endpoint_name: 'e', icon: 'i', tags: ['t'], gradient: 'g' };
  const action = { mcp_enabled: true, action_name: 'a', action_description: 'b' };
  const schedule = (config: object) => ({
    flow_id: flow,
    name: 's',
    kind: 'schedule',
    config,
    node_id: 'x',
    max_attempts: 2,
  });
  const common = {
    catchup_policy: 'all',
    catchup_limit: 5,
    overlap_policy: 'allow',
    jitter_seconds: 1,
    share_session: true,
  };
  const queue = {
    connection: 'SECRET',
    queue: 'q',
    prefetch: 1,
    dedupe_by: 'header:x',
    body: 'json',
    input_value: '/a',
    reply: true,
  };
  const run = {
    input_value: 'x',
    session_id: 's',
    input_type: 'chat',
    output_type: 'chat',
    tweaks: { 'ChatInput-echo1': { sender: 's', sender_name: 'n', session_id: 'z' } },
  };
  return [
    { path: '/api/v1/flows/', body: { ...named, ...action, data: echo, settings } },
    {
      path: '/api/v1/flows/',
      body: { name: 'n', webhook: true, data: hook, settings: { webhook: { signature } } },
    },
    { path: '/api/v1/triggers', body: schedule({ cron: '* * * * *', timezone: 'UTC', ...common }) },
    {
      path: '/api/v1/triggers',
      body: schedule({ every_seconds: 1, start_at: '2026-01-01T00:00:00Z', ...common }),
    },
    { path: '/api/v1/triggers', body: schedule({ at: '2030-01-01T00:00:00Z', timezone: 'Europe/Vienna' }) },
    {
      path: '/api/v1/triggers',
      body: { ...schedule(queue), kind: 'rabbitmq', session_policy: 'shared', concurrency_limit: 2 },
    },
    { path: '/api/v1/schedules/preview', body: { config: { cron: '* * * * *', timezone: 'UTC' } } },
    { path: '/api/v1/variables/', body: { name: 'v', value: 'w', type: 'Generic', default_fields: ['f'] } },
    { path: '/api/v1/api_key/', body: { name: 'k', expires_at: '2030-01-01T00:00:00Z', scopes: ['run'] } },
    { path: `/api/v1/run/${flow}`, body: run },
    {
      path: `/api/v1/run/advanced/${flow}`,
      body: {
        inputs: [{ input_value: 'x', session: 's', type: 'chat' }],
        outputs: ['o'],
        tweaks: {},
        session_id: 's',
      },
    },
    {
      path: '/api/v1/runs/bulk',
      body: {
        action: 'replay',
        dry_run: true,
        filter: {
          flow_id: flow,
          pool: 'p',
          session_id: 's',
          error_code: 'e',
          vertex_id: 'v',
          accepted_from: '2026-01-01T00:00:00Z',
          flow_version: 1,
        },
      },
    },
    { path: '/api/v2/mcp/servers/name', body: { url: 'https://mcp.test/', headers: { a: 'b' } } },
    {
      path: '/api/v1/responses',
      body: { model: flow, input: 'x', previous_response_id: 'p', stream: false },
    },
    {
      path: '/v1/chat/completions',
      body: { model: flow, messages: [{ role: 'user', content: 'x' }], user: 'u' },
    },
    {
      path: '/api/v1/mcp/streamable',
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 't', arguments: { input_value: 'x', session_id: 's' } },
      },
    },
  ];
}

/** Paths of all values and of all names within a value. */
export function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, member]) =>
    // Within the document of a flow, a few places are enough.
    name === 'data' ? [] : placesIn(member, [...path, name]),
  );
  return [path, ...inner];
}

export function withValue(body: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const copy = Array.isArray(body) ? [...(body as unknown[])] : { ...(body as object) };
  (copy as Record<string, unknown>)[name] = withValue((body as Record<string, unknown>)[name], rest, value);
  return copy;
}
