import type { Database } from '@millrace/database';
import { openMigratedDatabase } from '@millrace/database/testing';
import { ApiKeyStore, AuditLog, hashApiKey, UserStore } from '@millrace/runs';
import { createLogger, SettingsError } from '@millrace/service';
import { ensureFirstUser } from './ensure-first-user';

let database: Database;
let lines: { level: string; msg: string }[];
beforeAll(async () => {
  const logger = createLogger({ name: 'test', level: 'silent' });
  database = await openMigratedDatabase(logger);
}, 60_000);
afterAll(() => database.close());
beforeEach(() => {
  lines = [];
});

function ensure(bootstrapKey: string) {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) };
  return ensureFirstUser({
    users: new UserStore({ database }),
    apiKeys: new ApiKeyStore({ database }),
    audit: new AuditLog({ database, logger: createLogger({ name: 'test', level: 'silent' }) }),
    bootstrapKey,
    logger: createLogger({ name: 'test', level: 'info', destination }),
  });
}

test.each([
  ['a word', 'foo'],
  ['23 characters', 'sk-0123456789abcdefghij'],
  ['another prefix', 'SK-0123456789abcdefghijkl'],
  ['a blank', 'sk-0123456789 abcdefghijkl'],
  ['a letter outside ASCII', 'sk-0123456789äabcdefghijkl'],
  ['513 characters', `sk-${'k'.repeat(510)}`],
])('%s: the key is neither created nor shown', async (_what, key) => {
  const refused = ensure(key);
  await expect(refused).rejects.toBeInstanceOf(SettingsError);
  await expect(refused).rejects.toThrow(
    'MILLRACE_BOOTSTRAP_API_KEY must begin with sk- and have 24 to 512 visible ASCII characters',
  );
  await expect(refused).rejects.not.toThrow(key);
  expect(await new ApiKeyStore({ database }).isStored(hashApiKey(key))).toBe(false);
});

test.each([
  [24, 'sk-0123456789abcdefghijk'],
  [512, `sk-${'k'.repeat(509)}`],
])('a key of %i characters is created', async (_length, key) => {
  const user = await ensure(key);
  expect(await new ApiKeyStore({ database }).resolve(hashApiKey(key))).toMatchObject({ userId: user.id });
  expect(lines).toEqual([]);
});

test('an existing weak key keeps working, with a warning that does not show the key', async () => {
  const { id } = await new UserStore({ database }).ensureFirst();
  await new ApiKeyStore({ database }).create(id, { name: 'old', expiresAt: null, key: 'foo' });
  expect(await ensure('foo')).toMatchObject({ id });
  expect(lines).toMatchObject([
    { level: 'warn', msg: expect.stringContaining('MILLRACE_BOOTSTRAP_API_KEY') },
  ]);
  expect(JSON.stringify(lines)).not.toContain('foo');
});
