import { randomUUID } from 'node:crypto';
import { DatabaseError, DatabaseUnavailableError } from './database';
import type { Database } from './database';

/** What every Database promises. The factory opens the same (initially empty) database each time it is called. */
export function describeDatabase(name: string, open: () => Promise<Database>): void {
  describe(`Database: ${name}`, () => {
    let database: Database;
    const table = `contract_${randomUUID().replaceAll('-', '')}`;

    beforeAll(async () => {
      database = await open();
      await database.query({
        text: `CREATE TABLE ${table} (id integer PRIMARY KEY, body text, at timestamptz NOT NULL DEFAULT now())`,
      });
    });

    beforeEach(async () => {
      await database.query({ text: `DELETE FROM ${table}` });
    });

    afterAll(async () => {
      await database.query({ text: `DROP TABLE ${table}` });
      await database.close();
    });

    async function count(): Promise<number> {
      const { rows } = await database.query<{ n: number }>({ text: `SELECT count(*) AS n FROM ${table}` });
      return rows[0]!.n;
    }

    describe('values', () => {
      const at = new Date('2026-03-29T01:30:00.123Z');
      test.each([
        ['text', 'text', 'Mühle \'"\\ \n 水'],
        ['an empty text', 'text', ''],
        ['varchar', 'varchar', 'letter'],
        ['uuid', 'uuid', randomUUID()],
        ['int2', 'int2', -7],
        ['int4', 'int4', 2_147_483_647],
        ['int8', 'int8', 9_007_199_254_740_991],
        ['float8', 'float8', 0.1],
        ['numeric', 'numeric', '12345678901234567890.5'],
        ['true', 'bool', true],
        ['false', 'bool', false],
        ['timestamptz', 'timestamptz', at],
        ['date', 'date', '2026-03-29'],
        ['timestamp', 'timestamp', '2026-03-29 01:30:00'],
        ['bytea', 'bytea', Buffer.from([0, 1, 255])],
        ['null', 'text', null],
        ['text[]', 'text[]', ['a', null, 'b,"c"\\', '']],
        ['uuid[]', 'uuid[]', [randomUUID(), null]],
        ['int4[]', 'int4[]', [1, null, 3]],
        ['int8[]', 'int8[]', [1, null, 4_294_967_296]],
        ['bool[]', 'bool[]', [true, null, false]],
        ['float8[]', 'float8[]', [0.5, null]],
        ['timestamptz[]', 'timestamptz[]', [at, null]],
        ['an empty array', 'text[]', []],
      ])('%s goes in and comes back the same', async (_, type, value) => {
        const { rows } = await database.query({ text: `SELECT $1::${type} AS value`, values: [value] });
        expect(rows).toEqual([{ value }]);
      });

      test.each(['json', 'jsonb'])('%s is given as text and comes back parsed', async (type) => {
        const value = { list: [1, null, 'ü'], nested: { deep: true } };
        const { rows } = await database.query({
          text: `SELECT $1::${type} AS value, ARRAY[$1::${type}, NULL] AS list`,
          values: [JSON.stringify(value)],
        });
        expect(rows).toEqual([{ value, list: [value, null] }]);
      });

      test('a batch travels as arrays for unnest', async () => {
        const bodies = Array.from({ length: 500 }, (_, index) => (index % 7 === 0 ? null : `body ${index}`));
        const inserted = await database.query({
          text: `INSERT INTO ${table} (id, body) SELECT * FROM unnest($1::integer[], $2::text[])`,
          values: [bodies.map((_, index) => index), bodies],
        });
        expect(inserted.rowCount).toBe(500);
        const { rows } = await database.query({ text: `SELECT body FROM ${table} ORDER BY id` });
        expect(rows.map(({ body }) => body)).toEqual(bodies);
      });

      test('a json text of five megabytes survives in both directions', async () => {
        const value = JSON.stringify({ text: 'ß'.repeat(2_500_000) });
        const { rows, rowCount } = await database.query({
          text: 'SELECT $1::text AS value',
          values: [value],
        });
        expect(rowCount).toBe(1);
        expect(rows[0]!['value'] === value).toBe(true);
      });
    });

    describe('statements', () => {
      test('report how many rows they changed', async () => {
        await database.query({ text: `INSERT INTO ${table} (id) SELECT generate_series(1, 10)` });
        const updated = await database.query({ text: `UPDATE ${table} SET body = 'x' WHERE id > 4` });
        expect(updated).toEqual({ rows: [], rowCount: 6 });
      });

      test('with a name can be sent again and again with other values', async () => {
        const named = (n: number) =>
          database.query({ name: 'double', text: 'SELECT $1::int4 * 2 AS n', values: [n] });
        const results = await Promise.all(Array.from({ length: 50 }, (_, index) => named(index)));
        expect(results.map(({ rows }) => rows[0]!['n'])).toEqual(results.map((_, index) => index * 2));
      });

      test('with a name survive a change of their table', async () => {
        const altered = `${table}_altered`;
        await database.query({ text: `CREATE TABLE ${altered} (id integer)` });
        const named = () => database.query({ name: altered, text: `SELECT * FROM ${altered}`, values: [] });
        await named();
        await database.query({ text: `ALTER TABLE ${altered} ADD COLUMN body text` });
        await named().catch(() => undefined);
        await expect(named()).resolves.toEqual({ rows: [], rowCount: 0 });
        await database.query({ text: `DROP TABLE ${altered}` });
      });

      test('without values may be several in one text; the last result counts', async () => {
        const { rows } = await database.query({ text: `DELETE FROM ${table}; SELECT 1 AS one` });
        expect(rows).toEqual([{ one: 1 }]);
      });

      test('run at the same time, each with its own answer', async () => {
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, index) =>
            database.query({ text: 'SELECT $1::int4 AS n', values: [index] }),
          ),
        );
        expect(answers.map(({ rows }) => rows[0]!['n'])).toEqual(answers.map((_, index) => index));
      });
    });

    describe('errors', () => {
      test('name the SQLSTATE and the constraint', async () => {
        await database.query({ text: `INSERT INTO ${table} (id) VALUES (1)` });
        const error = await database
          .query({ text: `INSERT INTO ${table} (id) VALUES (1)` })
          .catch((e: unknown) => e);
        expect(error).toBeInstanceOf(DatabaseError);
        expect(error).toMatchObject({
          sqlState: '23505',
          constraint: `${table}_pkey`,
          code: 'database_error',
        });
      });

      test.each([
        ['unknown tables', 'SELECT * FROM no_such_table', [], '42P01'],
        ['wrong syntax', 'SELEKT 1', [], '42601'],
        ['values of the wrong type', 'SELECT $1::integer', ['seven'], '22P02'],
        ['failures while rows are read', 'SELECT 1 / (3 - n) FROM generate_series(1, 5) AS n', [], '22012'],
      ])('come for %s and leave the connection usable', async (_, text, values, sqlState) => {
        for (let round = 0; round < 3; round += 1) {
          await expect(database.query({ text, values })).rejects.toMatchObject({ sqlState });
          await expect(database.query({ text: 'SELECT 1 AS one' })).resolves.toMatchObject({
            rows: [{ one: 1 }],
          });
        }
      });

      test('of a named statement do not stick to its name', async () => {
        const insert = (id: number) =>
          database.query({
            name: `${table}_insert`,
            text: `INSERT INTO ${table} (id) VALUES ($1)`,
            values: [id],
          });
        await insert(1);
        await expect(insert(1)).rejects.toMatchObject({ sqlState: '23505' });
        await expect(insert(2)).resolves.toMatchObject({ rowCount: 1 });
      });

      test('stay with their own statement among many', async () => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 60 }, (_, index) =>
            database.query({ text: 'SELECT 10 / $1::int4 AS n', values: [index % 3] }),
          ),
        );
        expect(outcomes.map(({ status }) => status)).toEqual(
          outcomes.map((_, index) => (index % 3 === 0 ? 'rejected' : 'fulfilled')),
        );
      });
    });

    describe('transactions', () => {
      const insert = (id: number) => ({ text: `INSERT INTO ${table} (id) VALUES ($1)`, values: [id] });

      test('commit when the work resolves, and return its value', async () => {
        const value = await database.transaction(async (connection) => {
          await connection.query(insert(1));
          await connection.query(insert(2));
          return 'done';
        });
        expect(value).toBe('done');
        expect(await count()).toBe(2);
      });

      test('roll back when the work rejects, and pass the error on', async () => {
        const reason = new Error('changed my mind');
        const outcome = database.transaction(async (connection) => {
          await connection.query(insert(1));
          throw reason;
        });
        await expect(outcome).rejects.toBe(reason);
        expect(await count()).toBe(0);
      });

      test('roll back after an error of the server, and leave the connection usable', async () => {
        const outcome = database.transaction(async (connection) => {
          await connection.query(insert(1));
          await connection.query(insert(1));
        });
        await expect(outcome).rejects.toMatchObject({ sqlState: '23505' });
        expect(await count()).toBe(0);
      });

      test('do not pass for committed when a failed statement was ignored', async () => {
        const outcome = database.transaction(async (connection) => {
          await connection.query(insert(1));
          await connection.query(insert(1)).catch(() => undefined);
        });
        await expect(outcome).rejects.toMatchObject({ sqlState: '25P02' });
        expect(await count()).toBe(0);
      });

      test('show nothing to others before they commit', async () => {
        let seen: Promise<number> | undefined;
        await database.transaction(async (connection) => {
          await connection.query(insert(1));
          // On a server the answer comes at once and is 0; the embedded database answers after the transaction: 1.
          seen = count();
          await connection.query(insert(2));
        });
        expect([0, 2]).toContain(await seen);
        expect(await count()).toBe(2);
      });

      test('of several callers do not mix', async () => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 20 }, (_, index) =>
            database.transaction(async (connection) => {
              await connection.query(insert(index));
              if (index % 2 === 1) throw new Error('odd');
              await connection.query({
                text: `UPDATE ${table} SET body = 'even' WHERE id = $1`,
                values: [index],
              });
            }),
          ),
        );
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
        const { rows } = await database.query({ text: `SELECT id, body FROM ${table} ORDER BY id` });
        expect(rows).toEqual(Array.from({ length: 10 }, (_, index) => ({ id: index * 2, body: 'even' })));
      });

      test('that take longer than they may are rolled back, and their connection is not handed on', async () => {
        const outcome = database.transaction(
          async (connection) => {
            await connection.query(insert(1));
            await new Promise((resolve) => setTimeout(resolve, 600));
            await connection.query(insert(2));
          },
          { timeoutMilliseconds: 200 },
        );
        await expect(outcome).rejects.toBeInstanceOf(DatabaseUnavailableError);
        expect(await count()).toBe(0);
        await new Promise((resolve) => setTimeout(resolve, 600));
        expect(await count()).toBe(0);
      });

      test('refuse statements after their end', async () => {
        const connection = await database.transaction((inside) => Promise.resolve(inside));
        await expect(connection.query(insert(1))).rejects.toBeInstanceOf(DatabaseUnavailableError);
      });
    });

    test('says which version of PostgreSQL it is', async () => {
      expect(await database.version()).toMatch(/^\d+\.\d+$/);
      await expect(database.ping()).resolves.toBeUndefined();
    });
  });

  describe(`Database: ${name}, closing`, () => {
    test('lets statements in hand finish, refuses later ones, and is fine twice', async () => {
      const database = await open();
      const inHand = Promise.all([
        database.query({ text: 'SELECT pg_sleep(0.2)' }),
        ...Array.from({ length: 30 }, () => database.ping()),
        database.transaction(async (connection) => {
          await connection.query({ text: 'SELECT 1' });
          await connection.query({ text: 'SELECT 2' });
        }),
      ]);
      const closed = database.close();
      await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailableError);
      await expect(inHand).resolves.toHaveLength(32);
      await closed;
      await expect(database.close()).resolves.toBeUndefined();
    });
  });
}
