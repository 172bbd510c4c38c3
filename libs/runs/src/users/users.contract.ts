import { randomUUID } from 'node:crypto';
import type { Database } from '@millrace/database';
import { DuplicateError } from '../duplicate-error';
import { Encryption } from '../encryption/encryption';
import { ApiKeyStore } from './api-key-store';
import { ConsoleSessionStore } from './console-session-store';
import { hashApiKey } from './hash-api-key';
import { UserStore } from './user-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';

/** Contract of UserStore and ApiKeyStore, on any database. */
export function describeUsers(name: string, open: () => TestDatabase): void {
  describe(`users and keys (${name})`, () => {
    const users = () => new UserStore({ database: open().database });
    const keys = () => new ApiKeyStore({ database: open().database });

    test('the first user is an admin, and the same for concurrent processes', async () => {
      const asked = await Promise.all(Array.from({ length: 8 }, () => users().ensureFirst()));
      expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
      expect(asked[0]).toMatchObject({ username: 'admin', isAdmin: true, folderId: expect.any(String) });
      expect(asked[0]?.createdAt).toBeInstanceOf(Date);
    });

    test('a username belongs to one user', async () => {
      const user = await makeUser(open().database);
      expect(await users().find(user.id)).toEqual(user);
      expect(await users().list()).toContainEqual(user);
      const again = users().create({ username: user.username, isAdmin: false });
      await expect(again).rejects.toEqual(new DuplicateError('username'));
      await expect(again).rejects.toMatchObject({ code: 'duplicate', field: 'username' });
      expect(await users().find(randomUUID())).toBeNull();
      const zero = users().create({ username: 'a\u0000b', isAdmin: false });
      await expect(zero).rejects.toMatchObject({ code: 'unstorable_text' });
    });

    test('a key is returned once and authenticates its user', async () => {
      const user = await makeUser(open().database);
      const { record, key } = await keys().create(user.id, { name: 'ci', expiresAt: null, scopes: ['run'] });
      expect(key).toMatch(/^sk-[A-Za-z0-9_-]{43}$/u);
      expect(record).toMatchObject({
        prefix: key.slice(0, 10),
        isActive: true,
        totalUses: 0,
        lastUsedAt: null,
      });
      expect(JSON.stringify(record)).not.toContain(key);
      expect(await keys().resolve(hashApiKey(key))).toEqual({
        userId: user.id,
        keyId: record.id,
        keyHash: hashApiKey(key),
        scopes: ['run'],
        expiresAt: null,
        bounds: null,
        limits: null,
      });
      expect(await keys().list(user.id)).toEqual([record]);
      expect(await keys().anyExists()).toBe(true);
    });

    test('concurrent lookups share few queries, and each gets its own answer', async () => {
      const { database } = open();
      let queries = 0;
      const counted: Database = {
        transaction: database.transaction.bind(database),
        version: database.version.bind(database),
        ping: database.ping.bind(database),
        close: database.close.bind(database),
        query: (statement) => {
          queries += 1;
          return database.query(statement);
        },
      };
      const user = await makeUser(database);
      const made = await Promise.all(
        Array.from({ length: 5 }, () => keys().create(user.id, { name: null, expiresAt: null })),
      );
      const store = new ApiKeyStore({ database: counted });
      const found = await Promise.all(
        Array.from({ length: 500 }, (_, index) =>
          store.resolve(
            hashApiKey(index % 100 === 0 ? (made[index / 100]?.key ?? '') : `sk-made-up-${index}`),
          ),
        ),
      );
      const good = found.flatMap((principal, index) => (principal ? [[index, principal.keyId]] : []));
      expect(good).toEqual(made.map(({ record }, index) => [index * 100, record.id]));
      expect(queries).toBeLessThan(5);
    });

    test('the scope admin is for admins only', async () => {
      const [admin, user] = [await users().ensureFirst(), await makeUser(open().database)];
      const scopes = async ({ id }: { readonly id: string }) => {
        const { key } = await keys().create(id, { name: null, expiresAt: null });
        return (await keys().resolve(hashApiKey(key)))?.scopes;
      };
      expect(await scopes(admin)).toEqual(['run', 'manage', 'admin']);
      expect(await scopes(user)).toEqual(['run', 'manage']);
    });

    test('keys of a deactivated user do not authenticate until the user is active again', async () => {
      const user = await makeUser(open().database);
      const { key } = await keys().create(user.id, { name: null, expiresAt: null });
      const isAccepted = async () => (await keys().resolve(hashApiKey(key))) !== null;
      expect(await users().change(user.id, { isActive: false })).toMatchObject({ isActive: false });
      expect(await users().change(user.id, { profileImage: 'x' })).toMatchObject({ isActive: false });
      expect(await isAccepted()).toBe(false);
      expect(await users().change(user.id, { isActive: true })).toMatchObject({
        isActive: true,
        profileImage: 'x',
        username: user.username,
      });
      expect(await isAccepted()).toBe(true);
      expect(await users().change(randomUUID(), {})).toBeNull();
    });

    test('an expired key does not authenticate', async () => {
      const user = await makeUser(open().database);
      const past = await keys().create(user.id, { name: null, expiresAt: new Date(Date.now() - 1000) });
      const future = await keys().create(user.id, { name: null, expiresAt: new Date(Date.now() + 60_000) });
      expect(await keys().resolve(hashApiKey(past.key))).toBeNull();
      expect((await keys().resolve(hashApiKey(future.key)))?.expiresAt).toEqual(future.record.expiresAt);
      expect(await keys().resolve(hashApiKey('sk-unknown'))).toBeNull();
    });

    test('a key is deleted by its user only', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const { record, key } = await keys().create(user.id, { name: null, expiresAt: null });
      expect(await keys().delete(other.id, record.id)).toBeNull();
      expect(await keys().delete(user.id, record.id)).toMatchObject({
        id: record.id,
        keyHash: hashApiKey(key),
      });
      expect(await keys().delete(user.id, record.id)).toBeNull();
      expect(await keys().resolve(hashApiKey(key))).toBeNull();
    });

    test('reports each deleted key once', async () => {
      const { database } = open();
      const [user, other] = [await makeUser(database), await makeUser(database)];
      const deleted: string[] = [];
      const store = new ApiKeyStore({ database, onDeleted: ({ keyHash }) => deleted.push(keyHash) });
      const { record, key } = await store.create(user.id, { name: null, expiresAt: null });
      await store.delete(other.id, record.id);
      expect(deleted).toEqual([]);
      await store.delete(user.id, record.id);
      await store.delete(user.id, record.id);
      expect(deleted).toEqual([hashApiKey(key)]);
    });

    test('a chosen key can be created again by its user, and by no other user', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const key = `sk-${randomUUID()}`;
      const made = await keys().create(user.id, { name: 'bootstrap', expiresAt: null, key });
      expect(await keys().create(user.id, { name: 'bootstrap', expiresAt: null, key })).toEqual({
        ...made,
        isNew: false,
      });
      await expect(keys().create(other.id, { name: null, expiresAt: null, key })).rejects.toThrow(
        DuplicateError,
      );
    });

    test('a check of a session is given up by the process that began it alone', async () => {
      const { database } = open();
      const user = await makeUser(database);
      const { record } = await keys().create(user.id, { name: null, expiresAt: null });
      const encryption = Encryption.from([Buffer.alloc(32, 7).toString('base64')]);
      const store = new ConsoleSessionStore({ database, encryption });
      const issuerToken = { kind: 'refresh', token: 'a token' } as const;
      const { session } = await store.create({
        tokenHash: hashApiKey(randomUUID()),
        principal: { userId: user.id, keyId: record.id },
        lifetimeSeconds: 3_600,
        userAgent: null,
        clientAddress: null,
        issuerToken,
        maximumSessions: 10,
      });
      const begin = (checks: ConsoleSessionStore = store) =>
        checks.beginCheck(session.id, new Date(Date.now() + 60_000));
      const lost = await begin();
      expect(lost).toMatchObject({ issuerToken });
      expect(await begin()).toBeNull();
      await database.query({
        text: `UPDATE console_sessions SET check_began_at = now() - interval '31 seconds' WHERE id = $1`,
        values: [session.id],
      });
      const taken = await begin();
      await store.abandonCheck(session.id, lost?.claim ?? '');
      expect(await begin()).toBeNull();
      await store.abandonCheck(session.id, taken?.claim ?? '');
      const others = Encryption.from([Buffer.alloc(32, 8).toString('base64')]);
      await expect(begin(new ConsoleSessionStore({ database, encryption: others }))).rejects.toThrow();
      // That check has ended.
      expect(await begin()).toMatchObject({ issuerToken });
    });

    test('counts uses of concurrent processes correctly', async () => {
      const user = await makeUser(open().database);
      const made = await Promise.all(
        Array.from({ length: 20 }, () => keys().create(user.id, { name: null, expiresAt: null })),
      );
      const hashes = made.map(({ record }) => record.keyHash);
      const counts = Array.from({ length: 6 }, (_, index) => {
        const order = index % 2 === 0 ? hashes : [...hashes].reverse();
        return keys().countUses(new Map([...order.map((hash) => [hash, 5] as const), ['unknown', 1]]));
      });
      await Promise.all([...counts, keys().countUses(new Map())]);
      for (const record of await keys().list(user.id)) {
        expect(record.totalUses).toBe(30);
        expect(record.lastUsedAt).toBeInstanceOf(Date);
      }
    });
  });
}
