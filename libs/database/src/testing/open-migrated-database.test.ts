import { createLogger } from '@millrace/service';
import type { Database } from '../database';
import { openMigratedDatabase } from './open-migrated-database';

const logger = createLogger({ name: 'test', level: 'silent' });

async function rowsOf(database: Database, text: string): Promise<readonly unknown[]> {
  return (await database.query({ text })).rows;
}

/** The rows of all tables, and the sequences. */
async function contentOf(database: Database): Promise<readonly unknown[]> {
  const { rows } = await database.query<{ table: string }>({
    text: `SELECT tablename AS "table" FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
  });
  const content: unknown[] = [];
  for (const { table } of rows)
    content.push(
      table,
      // Two processes can make the image, each at its time.
      await rowsOf(
        database,
        `SELECT (to_jsonb(t) - 'applied_at')::text AS row FROM ${table} AS t ORDER BY 1`,
      ),
    );
  return [...content, await rowsOf(database, 'SELECT sequencename, last_value FROM pg_sequences ORDER BY 1')];
}

/** Differs for each start of a database. */
const startOf = (database: Database) => rowsOf(database, 'SELECT pg_postmaster_start_time() AS started');

test('a database has the rows of the migrations alone, also in the thread of an earlier one', async () => {
  const first = await openMigratedDatabase(logger);
  const [content, started] = [await contentOf(first), await startOf(first)];
  await first.query({ text: `INSERT INTO users (id, username) VALUES (gen_random_uuid(), 'ada')` });
  await first.query({
    text: `INSERT INTO audit_entries (action, actor_kind, detail) VALUES ('user.created', 'system', '{}')`,
  });
  await first.query({ text: `SELECT nextval(pg_get_serial_sequence('messages', 'position'))` });
  await first.query({ text: 'SET search_path = pg_catalog' });
  await first.close();
  const second = await openMigratedDatabase(logger);
  expect(await startOf(second)).toEqual(started);
  expect(await contentOf(second)).toEqual(content);
  await second.close();
});

test('the thread of a database whose schema was changed is not used again', async () => {
  const first = await openMigratedDatabase(logger);
  const [content, started] = [await contentOf(first), await startOf(first)];
  await first.query({ text: 'ALTER TABLE users ADD COLUMN shoe_size integer' });
  await first.close();
  const second = await openMigratedDatabase(logger);
  expect(await startOf(second)).not.toEqual(started);
  expect(await contentOf(second)).toEqual(content);
  await second.close();
});
