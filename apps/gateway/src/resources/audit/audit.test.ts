import { verifyExportedChain } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { makeTenant } from '../../testing/tenant';
import type { Tenant } from '../../testing/tenant';
import { gatewayForTests } from '../../testing/test-gateway';

interface Entry {
  readonly position: number;
  readonly at: string;
  readonly action: string;
  readonly user_id: string | null;
  readonly object_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

interface Page {
  readonly entries: readonly Entry[];
  readonly head: { readonly position: number; readonly hash: string };
}

const lines: string[] = [];
const logger = createLogger({
  name: 'test',
  level: 'debug',
  destination: { write: (line) => void lines.push(line) },
});
let tenant: Tenant;
const gateway = gatewayForTests({ logger });
beforeAll(async () => {
  tenant = await makeTenant(gateway, 'tenant');
}, 60_000);

const page = async (query = '') => (await gateway.call('GET', `/api/v1/audit${query}`)).json as Page;
const exportOf = async (query = '') => (await gateway.call('GET', `/api/v1/audit/export${query}`)).text;

async function* linesOf(text: string) {
  yield* text.split('\n');
}

describe('GET /api/v1/audit', () => {
  test('an admin lists entries newest first, in pages, with the end of the chain', async () => {
    const { entries, head } = await page('?limit=3');
    expect(entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({ position: head.position, hash: head.hash });
    expect(entries.map(({ position }) => position)).toEqual([0, 1, 2].map((index) => head.position - index));
    const next = await page(`?limit=2&before=${entries[2]?.position}`);
    expect(next.entries.map(({ position }) => position)).toEqual([head.position - 3, head.position - 4]);
  });

  test('an entry has the names of its user and key, which are null after their deletion', async () => {
    const ofTenant = async () => (await page('?action=flow&limit=100')).entries;
    const { id: userId } = (await tenant.call('GET', '/api/v1/users/whoami')).json as { id: string };
    const entry = (await ofTenant()).find(({ user_id: id }) => id === userId);
    expect(entry).toMatchObject({ username: 'tenant', key_name: expect.any(String) as string });
    expect(await exportOf('?action=flow')).not.toContain('"username"');
  });

  test('entries are found by actor, key, action, object and time', async () => {
    const { id: userId } = (await tenant.call('GET', '/api/v1/users/whoami')).json as { id: string };
    const actions = async (query: string) => (await page(query)).entries.map(({ action }) => action);
    const own = await page(`?user_id=${userId}`);
    expect(own.entries.length).toBeGreaterThan(5);
    expect(new Set(own.entries.map(({ user_id: id }) => id))).toEqual(new Set([userId]));
    expect(await actions(`?object_id=${tenant.ids.flow}`)).toEqual(['flow.created']);
    expect(await actions(`?user_id=${userId}&action=variable`)).toEqual(['variable.created']);
    expect(await actions(`?user_id=${userId}&action=variable.deleted`)).toEqual([]);
    const variable = own.entries.find(({ action }) => action === 'variable.created');
    expect(await actions(`?object_id=${tenant.ids.variable}&from=${variable?.at}`)).toEqual([
      'variable.created',
    ]);
    expect(await actions(`?object_id=${tenant.ids.variable}&to=2026-01-01T00:00:00Z`)).toEqual([]);
    const { key_id: keyId } = variable as unknown as { key_id: string };
    expect((await page(`?key_id=${keyId}&limit=1000`)).entries).toEqual(own.entries);
  });

  test.each(['?action=nothing', '?user_id=me', '?from=yesterday', '?limit=0', '?before=x'])(
    '%s is refused',
    async (query) => {
      expect((await gateway.call('GET', `/api/v1/audit${query}`)).status).toBe(422);
    },
  );

  test.each(['/api/v1/audit', '/api/v1/audit/export'])('%s is for admins', async (path) => {
    expect((await tenant.call('GET', path)).status).toBe(403);
    const { api_key: key } = (await gateway.call('POST', '/api/v1/api_key/', { scopes: ['run', 'manage'] }))
      .json as { api_key: string };
    expect((await gateway.call('GET', path, undefined, { 'x-api-key': key })).status).toBe(403);
  });
});

describe('GET /api/v1/audit/export', () => {
  test('answers JSON lines, oldest first, whose chain can be verified', async () => {
    const answer = await gateway.call('GET', '/api/v1/audit/export');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const { head } = await page('?limit=1');
    expect(await verifyExportedChain(linesOf(answer.text), [head])).toEqual({
      isIntact: true,
      entries: head.position,
      last: head,
    });
    const some = (await exportOf('?action=flow'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
    expect(new Set(some.map(({ action }) => action))).toEqual(new Set(['flow.created']));
    expect(await exportOf('?to=2020-01-01T00:00:00Z')).toBe('');
    expect((await gateway.call('GET', '/api/v1/audit/export?from=x')).status).toBe(422);
  });

  test('a log of many pages is exported whole', async () => {
    const actor = {
      kind: 'system',
      userId: null,
      keyId: null,
      requestId: null,
      clientAddress: null,
      forwardedFor: null,
    } as const;
    const events = Array.from({ length: 1_200 }, (_, index) => ({
      action: 'flow.updated' as const,
      objectId: 'many',
      detail: { index },
      actor,
    }));
    await gateway.audit.record(events);
    const exported = (await exportOf('?object_id=many')).trim().split('\n');
    expect(exported.map((line) => (JSON.parse(line) as Entry).detail['index'])).toEqual(
      events.map((_, index) => index),
    );
  });
});

test('a change of a flow names its version and what changed, with each setting', async () => {
  const path = `/api/v1/flows/${tenant.ids.flow}`;
  const signature = { scheme: 'github', secrets: ['tenant_V'] };
  const settings = { webhook: { signature }, concurrency: 2 };
  await tenant.call('PATCH', path, { description: 'x', settings, data: { nodes: [], edges: [] } });
  const [entry] = (await page(`?object_id=${tenant.ids.flow}`)).entries;
  expect(entry).toMatchObject({ action: 'flow.updated', detail: { version: 2 } });
  expect(new Set(entry?.detail['changed'] as string[])).toEqual(
    new Set(['description', 'document', 'settings.webhook', 'settings.concurrency']),
  );
});

describe('refused sign-ins', () => {
  const refusals = async () => {
    await gateway.refusedSignIns.flush();
    return (await page('?action=sign_in.refused')).entries;
  };

  test('a flood of bad keys has one entry with its count, and a request without a key none', async () => {
    const before = (await refusals()).length;
    const send = (key: string, headers: object = {}) =>
      gateway.call('GET', '/api/v1/flows/', undefined, { 'x-api-key': key, ...headers });
    for (let index = 0; index < 40; index += 1) expect((await send(`sk-bad-${index}`)).status).toBe(403);
    expect((await fetch(`${gateway.url}/api/v1/flows/`)).status).toBe(403);
    const entries = await refusals();
    expect(entries.length - before).toBe(1);
    expect(entries[0]).toMatchObject({
      actor: 'unknown',
      user_id: null,
      client_address: expect.stringMatching(/127\.0\.0\.1$/),
      forwarded_for: null,
      detail: {
        reason: 'key_invalid',
        attempts: 40,
        first_at: expect.any(String),
        last_at: expect.any(String),
      },
    });
    await send('sk-bad', { 'x-forwarded-for': 'secret, 203.0.113.9' });
    await send('sk-bad', { 'x-forwarded-for': '203.0.113.9, not an address' });
    expect((await refusals()).slice(0, 2)).toMatchObject([
      { forwarded_for: null },
      { forwarded_for: '203.0.113.9' },
    ]);
  });

  test('a key that lacks a scope is named', async () => {
    const { id: userId } = (await tenant.call('GET', '/api/v1/users/whoami')).json as { id: string };
    expect((await tenant.call('GET', '/api/v1/users')).status).toBe(403);
    expect((await refusals())[0]).toMatchObject({
      actor: 'key',
      user_id: userId,
      key_id: expect.any(String),
      detail: { reason: 'permission_denied', attempts: 1 },
    });
  });
});

test('no entry, export or line of the log contains a secret', async () => {
  const canaries = {
    key: 'sk-canary-key-0123456789abcdefghij',
    variable: 'canary-variable-0123456789',
    changed: 'canary-changed-variable-0123456789',
    server: 'canary-mcp-header-0123456789',
    document: 'canary-flow-document-0123456789',
    tweak: 'canary-tweak-0123456789',
    header: 'canary-header-variable-0123456789',
    file: 'canary-file-content-0123456789',
    query: 'sk-canary-query-0123456789abcdefghij',
    forwarded: 'canary-forwarded-0123456789',
    agent: 'canary-user-agent-0123456789',
    body: 'canary-refused-body-0123456789',
  };
  const { ids, call } = tenant;
  const node = {
    id: 'T-1',
    data: { type: 'TextInput', node: { template: { api_key: { value: canaries.document } } } },
  };
  await call('POST', '/api/v1/flows/', { name: 'canary', data: { nodes: [node], edges: [] } });
  await call('PATCH', `/api/v1/flows/${ids.flow}`, { data: { nodes: [node], edges: [] } });
  const made = await call('POST', '/api/v1/variables/', {
    name: 'CANARY',
    value: canaries.variable,
    type: 'Credential',
  });
  await call('PATCH', `/api/v1/variables/${(made.json as { id: string }).id}`, { value: canaries.changed });
  await call('PATCH', `/api/v2/mcp/servers/${ids.server}`, {
    url: 'https://mcp.test',
    headers: { a: canaries.server },
  });
  const form = new FormData();
  form.set('file', new Blob([canaries.file]), 'canary.txt');
  await call('POST', '/api/v2/files', form);
  await call('POST', '/api/v1/variables/', { name: 'X', value: '', type: canaries.body });
  const headers = {
    'x-api-key': canaries.key,
    'x-forwarded-for': canaries.forwarded,
    'user-agent': canaries.agent,
  };
  await gateway.call(
    'POST',
    `/api/v1/run/${ids.flow}?x-api-key=${canaries.query}`,
    { tweaks: { a: canaries.tweak } },
    headers,
  );
  await gateway.call(
    'POST',
    `/api/v1/run/${ids.flow}`,
    { tweaks: { a: canaries.tweak } },
    {
      'x-api-key': tenant.key,
      'x-langflow-global-var-k': canaries.header,
    },
  );
  const created = (await call('POST', '/api/v1/api_key/', { name: 'shown once' })).json as {
    api_key: string;
  };
  const user = (await gateway.call('POST', '/api/v1/users', { username: 'canary' })).json as {
    api_key: string;
  };
  await gateway.refusedSignIns.flush();
  const { rows } = await gateway.database.query({ text: 'SELECT * FROM audit_entries, audit_chain' });
  const places = [JSON.stringify(rows), await exportOf(), lines.join('')];
  expect(places.every((text) => text.includes('variable.updated') && text.includes('sign_in.refused'))).toBe(
    true,
  );
  for (const secret of [...Object.values(canaries), created.api_key, user.api_key, tenant.key])
    expect(places.map((text) => text.includes(secret))).toEqual([false, false, false]);
});

test('a change whose entry cannot be stored is refused, and nothing is changed', async () => {
  const { database } = gateway;
  await database.query({ text: 'ALTER TABLE audit_entries RENAME TO audit_entries_away' });
  try {
    const refused = await tenant.call('POST', '/api/v1/variables/', { name: 'LOST', value: 'v' });
    expect(refused.status).toBeGreaterThanOrEqual(500);
  } finally {
    await database.query({ text: 'ALTER TABLE audit_entries_away RENAME TO audit_entries' });
  }
  const { json } = await tenant.call('GET', '/api/v1/variables/');
  expect((json as readonly { name: string }[]).map(({ name }) => name)).not.toContain('LOST');
  await until(
    async () =>
      (await tenant.call('POST', '/api/v1/variables/', { name: 'KEPT', value: 'v' })).status === 201,
  );
});
