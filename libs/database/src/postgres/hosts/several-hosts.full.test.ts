import { createLogger, createMetrics } from '@millrace/service';
import { until, untilSuccess } from '@millrace/service/testing';
import { startPostgresPair } from '@millrace/scaled-system';
import type { PostgresPair } from '@millrace/scaled-system';
import { DatabaseUnavailableError } from '../../database';
import type { Database } from '../../database';
import { openDatabase } from '../../open-database';

const logger = createLogger({ name: 'test', level: 'silent' });
const PORT = { text: `SELECT current_setting('port')::int AS port` };

let pair: PostgresPair;
let database: Database | undefined;

const open = (url: string) =>
  openDatabase({ url, name: 'test', logger, metrics: createMetrics(), maximumConnections: 5 });
const portOf = async (of: Database) => (await of.query<{ port: number }>(PORT)).rows[0]?.port;
const port = ({ host }: { readonly host: string }) => Number(host.split(':')[1]);

async function count(of: Database): Promise<number> {
  const { rows } = await of.query<{ count: number }>({ text: 'SELECT count(*)::int AS count FROM kept' });
  return rows[0]?.count ?? 0;
}

beforeEach(async () => {
  pair = await startPostgresPair({ isSynchronous: false });
});

afterEach(async () => {
  await database?.close();
  database = undefined;
  await pair.stop();
});

test('connections go to the primary, in whatever order the address names the hosts', async () => {
  for (const hosts of [
    [pair.primary.host, pair.standby.host],
    [pair.standby.host, pair.primary.host],
  ]) {
    const one = await open(`postgres://postgres@${hosts.join(',')}/postgres?target_session_attrs=primary`);
    expect(await portOf(one)).toBe(port(pair.primary));
    await one.close();
  }
});

test('with target_session_attrs=any the first host that answers is used', async () => {
  const hosts = `127.0.0.1:1,${pair.standby.host},${pair.primary.host}`;
  database = await open(`postgres://postgres@${hosts}/postgres?target_session_attrs=any`);
  expect(await portOf(database)).toBe(port(pair.standby));
});

test('without a primary, calls fail with the reason of each host', async () => {
  await pair.primary.kill();
  database = await open(pair.url);
  const problem = await portOf(database).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(DatabaseUnavailableError);
  expect((problem as Error).message).toMatch(/ECONNREFUSED.*is a standby/u);
});

test('after the primary was killed, statements reach the promoted standby, and the former primary gets none', async () => {
  database = await open(pair.url);
  await database.query({ text: 'CREATE TABLE kept (id int)' });
  await database.query({ text: 'INSERT INTO kept VALUES (1)' });
  await until(async () => (await countAt(pair.standby.url).catch(() => 0)) === 1, 'the standby has the row');
  await pair.primary.kill();
  await expect(count(database)).rejects.toBeInstanceOf(DatabaseUnavailableError);
  await pair.standby.promote();
  await untilSuccess(() => count(database as Database));
  expect(await portOf(database)).toBe(port(pair.standby));

  // It comes back alone: writable, on its old timeline.
  await pair.primary.start();
  for (let id = 2; id < 30; id += 1)
    await database.query({ text: 'INSERT INTO kept VALUES ($1)', values: [id] });
  expect(await countAt(pair.primary.url)).toBe(1);

  // Not even when it is the only one, and a process that starts while both run chooses the newer timeline.
  const later = await open(pair.url);
  expect(await portOf(later)).toBe(port(pair.standby));
  await pair.standby.kill();
  for (const one of [database, later]) {
    await until(
      async () => (await count(one).catch(String)).toString().includes('former primary'),
      'it is refused',
    );
  }
  await later.close();
  expect(await countAt(pair.primary.url)).toBe(1);
});

test('a primary that hangs loses its connections when another was promoted', async () => {
  database = await open(pair.url);
  await database.query({ text: 'CREATE TABLE kept (id int)' });
  await until(
    async () => (await countAt(pair.standby.url).catch(() => -1)) === 0,
    'the standby has the table',
  );
  const hanging = database.query({ text: 'SELECT pg_sleep(25)' }).catch((error: unknown) => error);
  await pair.primary.freeze();
  await pair.standby.promote();
  // Much earlier than the limit of the statement: the watch over the hosts ends the connection.
  expect(await hanging).toBeInstanceOf(DatabaseUnavailableError);
  expect(await portOf(database)).toBe(port(pair.standby));
  await pair.primary.thaw();
});

async function countAt(url: string): Promise<number> {
  const one = await open(url);
  try {
    return await count(one);
  } finally {
    await one.close();
  }
}
