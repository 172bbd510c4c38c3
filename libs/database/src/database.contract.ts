import { randomUUID } from 'node:crypto';
import { DatabaseError, DatabaseUnavailableError } from './database';
import { describeSqlStates } from './contract/sql-states.contract';
import { describeTransactions } from './contract/transactions.contract';
import { describeValues } from './contract/values.contract';
import type { Database } from './database';

export interface ContractLimits {
  readonly statementTimeoutMilliseconds?: number;
}

/** Contract of every Database. The factory opens a database in which the tests can create tables with random names. */
export function describeDatabase(name: string, open: (limits?: ContractLimits) => Promise<Database>): void {
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

    describeValues(() => database, table);
    describeTransactions(() => database, table);
    describeSqlStates(() => database);

    describe('statements', () => {
      test('report how many rows they changed', async () => {
        await database.query({ text: `INSERT INTO ${table} (id) SELECT generate_series(1, 10)` });
        const updated = await database.query({ text: `UPDATE ${table} SET body = 'x' WHERE id > 4` });
        expect(updated).toEqual({ rows: [], rowCount: 6 });
      });

      test('with a name can be sent repeatedly with different values', async () => {
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

      test('without values can be several in one text; the last result counts', async () => {
        const { rows } = await database.query({ text: `DELETE FROM ${table}; SELECT 1 AS one` });
        expect(rows).toEqual([{ one: 1 }]);
      });

      test('run concurrently, each with its own result', async () => {
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
      ])('are returned for %s and leave the connection usable', async (_, text, values, sqlState) => {
        for (let round = 0; round < 3; round += 1) {
          await expect(database.query({ text, values })).rejects.toMatchObject({ sqlState });
          await expect(database.query({ text: 'SELECT 1 AS one' })).resolves.toMatchObject({
            rows: [{ one: 1 }],
          });
        }
      });

      test('of a named statement do not affect later uses of its name', async () => {
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

      test('reach only their own statement among many', async () => {
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

    test('reports the version of PostgreSQL', async () => {
      expect(await database.version()).toMatch(/^\d+\.\d+$/);
      await expect(database.ping()).resolves.toBeUndefined();
    });
  });

  describe(`Database: ${name}, closing`, () => {
    test('completes statements in flight, refuses later ones, and is idempotent', async () => {
      const database = await open();
      const inFlight = Promise.all([
        database.query({ text: 'SELECT pg_sleep(0.2)' }),
        ...Array.from({ length: 30 }, () => database.ping()),
        database.transaction(async (connection) => {
          await connection.query({ text: 'SELECT 1' });
          await connection.query({ text: 'SELECT 2' });
        }),
      ]);
      const closed = database.close();
      await expect(database.ping()).rejects.toBeInstanceOf(DatabaseUnavailableError);
      await expect(inFlight).resolves.toHaveLength(32);
      await closed;
      await expect(database.close()).resolves.toBeUndefined();
    });
  });
  describe(`Database: ${name}, statements that exceed the time limit`, () => {
    test('are cancelled in time, and the database stays usable', async () => {
      const database = await open({ statementTimeoutMilliseconds: 300 });
      const slow = database.query({ name: 'slow', text: 'SELECT pg_sleep(1.5)', values: [] });
      await expect(slow).rejects.toBeInstanceOf(DatabaseUnavailableError);
      const next = await database.query({ name: 'next', text: 'SELECT $1::int4 AS n', values: [1] });
      expect(next.rows).toEqual([{ n: 1 }]);
      await database.close();
    });

    test('are also cancelled inside a transaction, which is then rolled back', async () => {
      const database = await open({ statementTimeoutMilliseconds: 300 });
      const outcome = database.transaction(async (connection) => {
        await connection.query({ text: 'CREATE TABLE never_stored (id integer)' });
        await connection.query({ text: 'SELECT pg_sleep(1.5)' });
      });
      await expect(outcome).rejects.toBeInstanceOf(DatabaseUnavailableError);
      const { rows } = await database.query({ text: `SELECT to_regclass('never_stored') AS found` });
      expect(rows).toEqual([{ found: null }]);
      await database.close();
    });
  });
}
