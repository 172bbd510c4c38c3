import { openDatabase } from '@millrace/database';
import type { Database } from '@millrace/database';
import { createLogger, uuidv7 } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { RunStore } from '../index';
import { openNewDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, messageRow } from '../testing/test-parts';
import { rewriteTexts } from './rewrite-texts';
import { examineTexts } from './text-places';
import { REWRITE_CONNECTION, untilEarlierService, whileTextsAreWhole } from './while-texts-are-whole';

const logger = createLogger({ name: 'test', level: 'silent' });
const signal = new AbortController().signal;
let given: Awaited<ReturnType<typeof openNewDatabase>>;
const opened: Database[] = [];

const open = async (name: string, url = given.url) => {
  const database = await openDatabase({ url, logger, name, maximumConnections: 1 });
  opened.push(database);
  return database;
};

beforeAll(async () => {
  given = await openNewDatabase();
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});
afterAll(() => given.close());

/** Records runs as a service does. */
async function service() {
  const { database } = given;
  const flow = await makeFlow(database);
  const store = new RunStore({ database });
  const results = new Map<string, string>();
  return {
    results,
    async record(count: number) {
      const runs = Array.from({ length: count }, () => {
        const id = uuidv7();
        const outputs = [{ inputs: { input_value: `text "${id}"` }, outputs: [{ run_id: id }] }];
        const result = JSON.stringify({ session_id: 'session', outputs });
        results.set(id, result);
        return interactiveRun(flow, { id, result, messages: [messageRow(flow, { text: `of ${id}` })] });
      });
      await store.record(runs);
    },
    async codesTexts() {
      await this.record(1);
      const [newest = ''] = [...results.keys()].slice(-1);
      return (await storedResults([newest])).get(newest)?.startsWith('~') === true;
    },
  };
}

async function storedResults(ids: readonly string[]) {
  const { rows } = await given.database.query<{ id: string; result: string }>({
    text: 'SELECT id, result FROM runs WHERE id = ANY($1::uuid[])',
    values: [ids],
  });
  return new Map(rows.map(({ id, result }) => [id, result]));
}

test('all texts are whole and equal after a rewrite during which a service records runs and a row is locked', async () => {
  const { database } = given;
  const { results, record, ...writer } = await service();
  await until(() => writer.codesTexts.call({ record }), 'no text got a template');
  await record(300);
  const marker = await open(REWRITE_CONNECTION);
  const [locked = ''] = [...results.keys()].slice(-10);
  let isWriting = true;
  let unlock: () => void = () => undefined;
  const unlocked = new Promise<void>((resolve) => (unlock = resolve));
  const others = await open('test-other');
  const writing = (async () => {
    while (isWriting) {
      await record(5);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const counts = await whileTextsAreWhole({ database, marker, signal }, async (own) => {
    const locking = others.transaction(async (connection) => {
      await connection.query({ text: 'SELECT FROM runs WHERE id = $1 FOR UPDATE', values: [locked] });
      await unlocked;
    });
    await until(async () => {
      const { rows } = await database.query({
        text: 'SELECT FROM runs WHERE id = $1 FOR UPDATE SKIP LOCKED',
        values: [locked],
      });
      return rows.length === 0;
    }, 'the row was not locked');
    const short = await rewriteTexts({ database, signal: own, lockedMilliseconds: 300 });
    expect(short).toMatchObject([
      { place: 'runs', locked: 1 },
      { place: 'messages', locked: 0 },
    ]);
    expect((await storedResults([locked])).get(locked)).toMatch(/^~/);
    setTimeout(unlock, 1_000);
    const again = await rewriteTexts({ database, signal: own });
    await locking;
    // The service has written on meanwhile.
    await record(20);
    return [short, again];
  });
  isWriting = false;
  await writing;
  expect(counts[0]?.[0]?.rewritten).toBeGreaterThanOrEqual(299);
  expect(counts[1]).toMatchObject([
    { rewritten: 1, locked: 0, missing: 0 },
    { rewritten: 0, locked: 0, missing: 0 },
  ]);
  expect(await storedResults([...results.keys()])).toEqual(results);
  expect(await examineTexts(database)).toEqual({ areCoded: false, missing: [] });
}, 120_000);

test('the work is interrupted when its connection is lost, and what holds it ends with an earlier service', async () => {
  const { database } = given;
  const marker = await open(REWRITE_CONNECTION);
  const work = whileTextsAreWhole({ database, marker, signal, settleMilliseconds: 0 }, async (own) => {
    await database.query({
      text: `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`,
      values: [REWRITE_CONNECTION],
    });
    await untilEarlierService(database, own);
  });
  await expect(work).rejects.toThrow();
  const next = await open(REWRITE_CONNECTION);
  let isEarlier = false;
  const held = whileTextsAreWhole({ database, marker: next, signal, settleMilliseconds: 0 }, async (own) => {
    await untilEarlierService(database, own);
    return isEarlier;
  });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  isEarlier = true;
  await (await open('millrace-gateway-one')).query({ text: 'SELECT 1' });
  expect(await held).toBe(true);
}, 60_000);
