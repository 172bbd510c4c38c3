import type { IncomingMessage } from 'node:http';
import { CallerAddresses, FlowCache, KeyUsage, PrincipalCache, RequestLimits } from '@millrace/access';
import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { openMemoryStore } from '@millrace/key-value';
import { ApiKeyStore, FlowStore, UserStore } from '@millrace/runs';
import type { KeyBounds } from '@millrace/runs';
import { createLogger } from '@millrace/service';
import { WebhookAuthenticator } from './webhook-authenticator';

const logger = createLogger({ name: 'webhook-caller-test', level: 'silent' });
const document = { nodes: [], edges: [], viewport: { x: 0, y: 0, zoom: 1 } };
let database: Database;
let flows: FlowStore;
let apiKeys: ApiKeyStore;
let usage: KeyUsage;
let key: string;
const users: string[] = [];

beforeAll(async () => {
  database = await openMigratedDatabase(logger);
  flows = new FlowStore({ database });
  apiKeys = new ApiKeyStore({ database });
  usage = new KeyUsage({ apiKeys, logger });
  const store = new UserStore({ database });
  users.push((await store.ensureFirst()).id, (await store.create({ username: 'other', isAdmin: false })).id);
  key = (await apiKeys.create(users[0]!, { name: null, expiresAt: null })).key;
  for (const [owner, name, settings] of [
    [0, 'plain', {}],
    [0, 'open', { webhookAuth: 'off' }],
    [0, 'locked', { webhookAuth: 'required' }],
    [0, 'twice', {}],
    [1, 'twice', {}],
    [1, 'foreign', {}],
  ] as const)
    await flows.create(users[owner]!, { name, endpointName: name, document, settings });
}, 60_000);

afterAll(async () => {
  await usage.close();
  await database.close();
});

const access = (perSecond: number | undefined) => ({
  principals: new PrincipalCache({ apiKeys }),
  usage,
  flows: new FlowCache({ flows, ttlMilliseconds: 2_000, pythonPool: null }),
  addresses: new CallerAddresses([]),
  limits: new RequestLimits({
    keyRequestsPerSecond: perSecond,
    keyValue: openMemoryStore(),
    processes: 1,
    logger,
  }),
});

/** Resolves to the name of the flow that is called, or to the error code. */
async function flowOrError(
  webhookAuthentication: 'required' | 'off',
  reference: string,
  apiKey?: string,
): Promise<string> {
  const authenticator = new WebhookAuthenticator({
    ...access(undefined),
    webhookAuthentication,
  });
  const request = {
    headers: apiKey === undefined ? {} : { 'x-api-key': apiKey },
    socket: { remoteAddress: '127.0.0.1' },
  } as IncomingMessage;
  return authenticator.authenticate(request, reference, new URLSearchParams()).then(
    ({ name }) => name,
    (error: { readonly code: string }) => error.code,
  );
}

test('keeps a key with bounds within them', async () => {
  const plain = (await flows.resolve(users[0]!, 'plain'))!.id;
  const keyWith = async (bounds: KeyBounds) =>
    (await apiKeys.create(users[0]!, { name: null, expiresAt: null, bounds })).key;
  for (const [bounds, reference, outcome] of [
    [{ access: 'run_only' }, 'plain', 'plain'],
    [{ access: 'read_only' }, 'plain', 'permission_denied'],
    [{ flows: [plain] }, 'plain', 'plain'],
    [{ flows: [plain] }, 'locked', 'flow_unknown'],
    [{ projects: [plain] }, 'plain', 'flow_unknown'],
    [{ addresses: ['203.0.113.0/24'] }, 'plain', 'permission_denied'],
    [{ endUsers: 'header' }, 'plain', 'permission_denied'],
  ] as const)
    expect(await flowOrError('required', reference, await keyWith(bounds))).toBe(outcome);
});

test('refuses a key that exceeds its rate limit for a second', async () => {
  const authenticator = new WebhookAuthenticator({
    ...access(2),
    webhookAuthentication: 'required',
  });
  const request = { headers: { 'x-api-key': key } } as unknown as IncomingMessage;
  const calls = Array.from({ length: 30 }, () =>
    authenticator.authenticate(request, 'plain', new URLSearchParams()),
  );
  const outcomes = await Promise.allSettled(calls);
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(1);
  expect(refused[0]).toMatchObject({
    code: 'rate_limited',
    status: 429,
    headers: { 'retry-after': '1' },
    message: 'Too many requests: the limit of this API key is 2 per second.',
  });
});

test.each([
  ['required', 'plain', 'key_missing', 'plain', 'key_invalid'],
  ['required', 'open', 'open', 'open', 'open'],
  ['required', 'locked', 'key_missing', 'locked', 'key_invalid'],
  ['required', 'twice', 'key_missing', 'twice', 'key_invalid'],
  ['required', 'foreign', 'key_missing', 'flow_unknown', 'key_invalid'],
  ['off', 'plain', 'plain', 'plain', 'plain'],
  ['off', 'open', 'open', 'open', 'open'],
  ['off', 'locked', 'key_missing', 'locked', 'key_invalid'],
  ['off', 'twice', 'flow_unknown', 'flow_unknown', 'flow_unknown'],
  ['off', 'foreign', 'foreign', 'foreign', 'foreign'],
  ['off', 'nowhere', 'flow_unknown', 'flow_unknown', 'flow_unknown'],
] as const)(
  'with authentication %s, "%s" resolves without a key to %s, with a key to %s, with a wrong key to %s',
  async (authentication, reference, without, withKey, withWrong) => {
    expect([
      await flowOrError(authentication, reference),
      await flowOrError(authentication, reference, key),
      await flowOrError(authentication, reference, 'sk-wrong'),
    ]).toEqual([without, withKey, withWrong]);
  },
);
