import type { Transactional } from '@millrace/database';
import { until } from '@millrace/service/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { Encryption } from '../encryption/encryption';
import { VariableStore } from './variable-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';

/** Contract of VariableStore, on any database. */
export function describeVariables(databaseName: string, open: () => TestDatabase): void {
  describe(`variables (${databaseName})`, () => {
    const encryption = Encryption.from([randomBytes(32).toString('base64')]);
    const variables = () => new VariableStore({ database: open().database, encryption });

    test('a variable comes back, and its value is nowhere in the table', async () => {
      const user = await makeUser(open().database);
      const value = `secret-${randomUUID()}`;
      const made = await variables().create(user.id, {
        name: 'KEY',
        value,
        type: 'Credential',
        defaultFields: ['a'],
      });
      expect(made).toMatchObject({ name: 'KEY', value, type: 'Credential', defaultFields: ['a'] });
      expect(await variables().list(user.id)).toEqual([made]);
      expect(await variables().value(user.id, 'KEY')).toBe(value);
      expect(await variables().values(user.id)).toEqual(new Map([['KEY', value]]));
      const { rows } = await open().database.query({ text: 'SELECT * FROM variables' });
      expect(JSON.stringify(rows)).not.toContain(value);
    });

    test('the fields that the variables of a user fill are cached until they change', async () => {
      const { id } = await makeUser(open().database);
      const { defaultFields } = variables();
      expect(await defaultFields.of(id)).toEqual(new Map());
      expect(defaultFields.of(id)).toEqual(new Map());
      const fields = ['API Key', 'Name', ''];
      await variables().create(id, { name: 'OLD', value: '1', type: null, defaultFields: fields });
      // Two variables of one millisecond have no order.
      const text = `UPDATE variables SET created_at = created_at - interval '1 second' WHERE user_id = $1`;
      await open().database.query({ text, values: [id] });
      await variables().create(id, { name: 'NEW', value: '2', type: null, defaultFields: ['Name'] });
      expect(await defaultFields.of(id)).toEqual(new Map());
      defaultFields.forget(id);
      const filled = new Map([
        ['API Key', 'OLD'],
        ['Name', 'NEW'],
      ]);
      expect(await defaultFields.of(id)).toEqual(filled);
      expect(defaultFields.of(id)).toEqual(filled);
    });

    test('no run waits while the fields that variables fill are read again', async () => {
      const { database } = open();
      let answers: Promise<unknown> = Promise.resolve();
      const slow: Transactional = {
        transaction: database.transaction.bind(database),
        query: (statement) => answers.then(() => database.query(statement)),
      };
      const { id } = await makeUser(database);
      const { defaultFields } = new VariableStore({ database: slow, encryption });
      await defaultFields.of(id);
      await variables().create(id, { name: 'NEW', value: '1', type: null, defaultFields: ['Name'] });
      let answer = (): void => undefined;
      answers = new Promise((resolve) => (answer = () => resolve(null)));
      const later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
      try {
        expect(defaultFields.of(id)).toEqual(new Map());
        answer();
        await until(() => (defaultFields.of(id) as ReadonlyMap<string, string>).has('Name'));
      } finally {
        later.mockRestore();
      }
    });

    test('a value can contain any character', async () => {
      const user = await makeUser(open().database);
      const value = 'zero \u0000 smile 😀 line\n';
      await variables().create(user.id, { name: 'ANY', value, type: null, defaultFields: [] });
      expect(await variables().value(user.id, 'ANY')).toBe(value);
      expect(await variables().value(user.id, 'ANY\u0000')).toBeUndefined();
    });

    test('concurrent lookups share few queries, and each gets its own answer', async () => {
      const { database } = open();
      let queries = 0;
      const counted: Transactional = {
        transaction: database.transaction.bind(database),
        query: (statement) => {
          queries += 1;
          return database.query(statement);
        },
      };
      const users = [await makeUser(database), await makeUser(database)];
      for (const { id } of users)
        for (const name of ['A', 'B'])
          await variables().create(id, { name, value: `${name} of ${id}`, type: null, defaultFields: [] });
      const store = new VariableStore({ database: counted, encryption });
      const places = Array.from({ length: 300 }, (_, index) => ({
        userId: users[index % 2]!.id,
        name: ['A', 'B', 'none'][index % 3]!,
      }));
      const found = await Promise.all(places.map(({ userId, name }) => store.value(userId, name)));
      expect(found).toEqual(
        places.map(({ userId, name }) => (name === 'none' ? undefined : `${name} of ${userId}`)),
      );
      expect(queries).toBeLessThanOrEqual(2);
    });

    test('a lookup sees a change that was stored before it, also while others are in progress', async () => {
      const user = await makeUser(open().database);
      const store = variables();
      const made = await store.create(user.id, { name: 'N', value: '0', type: null, defaultFields: [] });
      const earlier: Promise<unknown>[] = [];
      for (let value = 1; value <= 30; value += 1) {
        earlier.push(store.value(user.id, 'N'), store.value(user.id, 'N'));
        await store.update(user.id, made.id, { value: String(value) });
        const found = store.value(user.id, 'N');
        earlier.push(store.value(user.id, 'N'));
        expect(await found).toBe(String(value));
      }
      await Promise.all(earlier);
    });

    test('a name belongs to one variable of a user', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const variable = { name: 'SAME', value: '1', type: 'Generic', defaultFields: [] };
      const made = await variables().create(user.id, variable);
      await variables().create(other.id, { ...variable, value: '2' });
      await expect(variables().create(user.id, variable)).rejects.toMatchObject({
        code: 'duplicate',
        field: 'name',
      });
      await variables().create(user.id, { ...variable, name: 'OTHER' });
      await expect(variables().update(user.id, made.id, { name: 'OTHER' })).rejects.toMatchObject({
        field: 'name',
      });
      expect(await variables().value(other.id, 'SAME')).toBe('2');
    });

    test('a change leaves the other fields unchanged; other users cannot change a variable', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const made = await variables().create(user.id, {
        name: 'V',
        value: '1',
        type: 'Generic',
        defaultFields: ['x'],
      });
      const changed = await variables().update(user.id, made.id, { value: '2' });
      expect(changed).toEqual({ ...made, value: '2', updatedAt: expect.any(Date) });
      expect(await variables().update(user.id, made.id, { type: null })).toMatchObject({
        type: null,
        value: '2',
      });
      expect(await variables().update(other.id, made.id, { value: '3' })).toBeNull();
      expect(await variables().delete(other.id, made.id)).toBe(false);
      expect(await variables().delete(user.id, made.id)).toBe(true);
      expect(await variables().delete(user.id, made.id)).toBe(false);
      expect(await variables().value(user.id, 'V')).toBeUndefined();
    });
  });
}
