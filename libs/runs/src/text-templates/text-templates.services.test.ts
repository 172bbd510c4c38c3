import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openDatabase } from '@millrace/database';
import { RunStore } from '../index';
import { openNewDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow } from '../testing/test-parts';
import { countEarlierServices } from './earlier-services';

test('texts are stored whole while a service of an earlier release is connected, and have templates later', async () => {
  const { url, database, close } = await openNewDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  const open = (name: string) => openDatabase({ url, logger, name });
  const flow = await makeFlow(database);
  const result = JSON.stringify({
    session_id: 'session',
    outputs: [{ inputs: { input_value: 'a text' }, outputs: [] }],
  });
  /** Records runs for a second, more than a template needs; resolves to how many results have one. */
  const codedResults = async () => {
    const store = new RunStore({ database });
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      const run = interactiveRun(flow, { result });
      ids.push(run.id);
      await store.record([run]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { rows } = await database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM runs WHERE id = ANY($1::uuid[]) AND result LIKE '~%'`,
      values: [ids],
    });
    return rows[0]?.count ?? 0;
  };
  try {
    const current = await open('millrace-gateway.2-one');
    await current.query({ text: 'SELECT 1' });
    const earlier = await open('millrace-gateway-one');
    await earlier.query({ text: 'SELECT 1' });
    expect(await codedResults()).toBe(0);
    await earlier.close();
    // The server can list a closed connection for a moment.
    await until(async () => (await countEarlierServices(database)) === 0);
    expect(await codedResults()).toBeGreaterThan(0);
    await current.close();
  } finally {
    await close();
  }
}, 60_000);
