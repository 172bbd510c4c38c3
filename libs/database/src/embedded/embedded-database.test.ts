import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { describeDatabase } from '../database.contract';
import type { ContractLimits } from '../database.contract';
import { migratedImage } from '../testing/open-migrated-database';
import { openEmbeddedDatabase } from './open-embedded-database';

const logger = createLogger({ name: 'test', level: 'silent' });
const inMemory = { dataDirectory: undefined, name: 'test', logger };
/** Opens a database that begins with an image, which takes less time. */
const open = async (options: ContractLimits & { readonly statisticsIntervalMilliseconds?: number } = {}) =>
  openEmbeddedDatabase({ ...inMemory, ...options, image: await migratedImage(logger) });

describeDatabase('embedded, in memory', open);

test('a long statement does not block the event loop', async () => {
  const database = await open();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  await database.query({ text: 'SELECT sum(n) FROM generate_series(1, 3000000) AS n' });
  clearInterval(timer);
  await database.close();
  expect(turns).toBeGreaterThan(10);
});

test('two databases in memory are independent', async () => {
  const [one, other] = await Promise.all([open(), open()]);
  await one.query({ text: 'CREATE TABLE boats (id integer)' });
  await expect(other.query({ text: 'SELECT * FROM boats' })).rejects.toMatchObject({ sqlState: '42P01' });
  await Promise.all([one.close(), other.close()]);
});

test('the planner knows the sizes of tables that grow', async () => {
  const database = await open({ statisticsIntervalMilliseconds: 20 });
  await database.query({ text: 'CREATE TABLE "Large boats" (id integer)' });
  const rows = async () => {
    const answer = await database.query<{ rows: number }>({
      text: `SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'Large boats'`,
    });
    return answer.rows[0]?.rows;
  };
  expect(await rows()).toBe(-1);
  await database.query({ text: 'INSERT INTO "Large boats" SELECT generate_series(1, 5000)' });
  await until(async () => (await rows()) === 5_000);
  await database.query({ text: 'INSERT INTO "Large boats" SELECT generate_series(1, 20000)' });
  await until(async () => (await rows()) === 25_000);
  await database.close();
});
