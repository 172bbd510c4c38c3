import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database';
import { DatabaseUnavailableError } from '../database';

/** Contract of transactions. The table has the columns id (its primary key) and body, and is empty before each test. */
export function describeTransactions(database: () => Database, table: string): void {
  async function count(): Promise<number> {
    const { rows } = await database().query<{ n: number }>({ text: `SELECT count(*) AS n FROM ${table}` });
    return rows[0]!.n;
  }

  describe('transactions', () => {
    const insert = (id: number) => ({ text: `INSERT INTO ${table} (id) VALUES ($1)`, values: [id] });

    test('commit when the work resolves, and return its value', async () => {
      const value = await database().transaction(async (connection) => {
        await connection.query(insert(1));
        await connection.query(insert(2));
        return 'done';
      });
      expect(value).toBe('done');
      expect(await count()).toBe(2);
    });

    test('send concurrent statements in the order of the calls', async () => {
      const answers = await database().transaction((connection) =>
        Promise.all([
          connection.query(insert(1)),
          connection.query({ text: `SELECT id FROM ${table}` }),
          connection.query(insert(2)),
        ]),
      );
      expect(answers[1].rows).toEqual([{ id: 1 }]);
      expect(await count()).toBe(2);
    });

    test('roll back when the work rejects, and pass the error on', async () => {
      const reason = new Error('changed my mind');
      const outcome = database().transaction(async (connection) => {
        await connection.query(insert(1));
        throw reason;
      });
      await expect(outcome).rejects.toBe(reason);
      expect(await count()).toBe(0);
    });

    test('roll back when the work rejects without a reason, and release their connection', async () => {
      for (let times = 0; times < 20; times += 1) {
        const outcome = database().transaction(async (connection) => {
          await connection.query(insert(1));
          return Promise.reject();
        });
        await expect(outcome).rejects.toBeUndefined();
      }
      expect(await count()).toBe(0);
    });

    test('roll back after a server error, and leave the connection usable', async () => {
      const outcome = database().transaction(async (connection) => {
        await connection.query(insert(1));
        await connection.query(insert(1));
      });
      await expect(outcome).rejects.toMatchObject({ sqlState: '23505' });
      expect(await count()).toBe(0);
    });

    test('reject when the error of a failed statement was ignored', async () => {
      const outcome = database().transaction(async (connection) => {
        await connection.query(insert(1));
        await connection.query(insert(1)).catch(() => undefined);
      });
      await expect(outcome).rejects.toMatchObject({ sqlState: '25P02' });
      expect(await count()).toBe(0);
    });

    test('are invisible to others before they commit', async () => {
      let seen: Promise<number> | undefined;
      await database().transaction(async (connection) => {
        await connection.query(insert(1));
        // A server answers at once with 0; the embedded database answers after the transaction, with 2.
        seen = count();
        await connection.query(insert(2));
      });
      expect([0, 2]).toContain(await seen);
      expect(await count()).toBe(2);
    });

    test('of several callers are isolated', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          database().transaction(async (connection) => {
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
      const { rows } = await database().query({ text: `SELECT id, body FROM ${table} ORDER BY id` });
      expect(rows).toEqual(Array.from({ length: 10 }, (_, index) => ({ id: index * 2, body: 'even' })));
    });

    test('that exceed their time limit are rolled back, and their connection is not reused', async () => {
      const outcome = database().transaction(
        async (connection) => {
          await connection.query(insert(1));
          await pause(600);
          await connection.query(insert(2));
        },
        { timeoutMilliseconds: 200 },
      );
      await expect(outcome).rejects.toBeInstanceOf(DatabaseUnavailableError);
      expect(await count()).toBe(0);
      await pause(600);
      expect(await count()).toBe(0);
    });

    test('refuse statements after their end', async () => {
      const connection = await database().transaction((inside) => Promise.resolve(inside));
      await expect(connection.query(insert(1))).rejects.toBeInstanceOf(DatabaseUnavailableError);
    });
  });
}
