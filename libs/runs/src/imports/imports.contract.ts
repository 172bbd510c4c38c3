import { randomUUID } from 'node:crypto';
import { Encryption } from '../encryption/encryption';
import { ApiKeyStore } from '../users/api-key-store';
import { hashApiKey } from '../users/hash-api-key';
import { VariableStore } from '../variables/variable-store';
import type { TestDatabase } from '../testing/open-test-database';
import { ImportStore } from './import-store';

/** Contract of ImportStore, on any database. */
export function describeImports(name: string, open: () => TestDatabase): void {
  describe(`imports (${name})`, () => {
    const encryption = Encryption.from(['1'.repeat(64)]);
    const imports = () => new ImportStore({ database: open().database, encryption });
    const createdAt = new Date('2026-01-02T03:04:05.678Z');
    const user = () => {
      const id = randomUUID();
      return { id, username: `imported-${id}`, isAdmin: false, folderId: randomUUID(), createdAt };
    };

    test('a user is added once, and one with the same name not at all', async () => {
      const imported = user();
      expect(await imports().addUser(imported)).toBe(true);
      expect(await imports().addUser({ ...imported, username: 'another' })).toBe(false);
      expect(await imports().addUser({ ...imported, id: randomUUID() })).toBe(false);
      const { rows } = await open().database.query({
        text: `SELECT id, username, is_admin AS "isAdmin", folder_id AS "folderId", created_at AS "createdAt"
          FROM users WHERE username = ANY($1::text[])`,
        values: [[imported.username, 'another']],
      });
      expect(rows).toEqual([imported]);
    });

    test('a key and a variable are added once, and never changed', async () => {
      const { database } = open();
      const imported = user();
      await imports().addUser(imported);
      const { id: userId } = imported;
      const key = {
        id: randomUUID(),
        userId,
        name: 'old',
        prefix: 'sk-1',
        keyHash: hashApiKey(randomUUID()),
        scopes: ['run'] as const,
        isActive: true,
        createdAt,
        lastUsedAt: null,
        totalUses: 7,
        expiresAt: null,
      };
      const variable = {
        id: randomUUID(),
        userId,
        name: 'TOKEN',
        value: 'first',
        type: 'Credential',
        defaultFields: [],
        createdAt,
        updatedAt: createdAt,
      };
      for (const isNew of [true, false]) {
        expect(await imports().addKey({ ...key, name: isNew ? 'old' : 'changed' })).toBe(isNew);
        expect(await imports().addVariable({ ...variable, value: isNew ? 'first' : 'changed' })).toBe(isNew);
      }
      expect(await new ApiKeyStore({ database }).list(userId)).toEqual([{ ...key, bounds: null }]);
      expect(await new VariableStore({ database, encryption }).value(userId, 'TOKEN')).toBe('first');
    });
  });
}
