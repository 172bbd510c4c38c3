import { openDatabase } from '@millrace/database';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { Encryption } from '../encryption/encryption';
import { RunStore } from '../runs/run-store';
import { openNewDatabase } from '../testing/open-test-database';
import { makeFlow, newRun } from '../testing/test-parts';
import { countEarlierServices } from '../text-templates/earlier-services';
import { EffectStore } from './effect-store';

test('a result is stored as an earlier release reads it while such a service is connected, and encrypted later', async () => {
  const { url, database, close } = await openNewDatabase();
  const logger = createLogger({ name: 'test', level: 'silent' });
  const encryption = Encryption.from(['07'.repeat(32)]);
  const flow = await makeFlow(database);
  const runs = new RunStore({ database });
  const recorded = async () => {
    const run = newRun(flow, { lane: 'interactive' });
    await runs.accept([run]);
    await runs.claim([{ runId: run.id, worker: 'one', redelivered: false }]);
    const key = { runId: run.id, vertexId: 'API-a', name: 'request', ordinal: 1 };
    // A store remembers for some seconds which services are connected.
    const effects = new EffectStore({ database, encryption });
    await effects.begin(key, 1);
    await effects.finish(key, 1, '"done"');
    expect(await effects.begin(key, 1)).toEqual({ state: 'done', result: '"done"' });
    const values = [run.id];
    const { rows } = await database.query<{ result: string }>({
      text: 'SELECT result FROM run_effects WHERE run_id = $1',
      values,
    });
    return rows[0]?.result;
  };
  try {
    const earlier = await openDatabase({ url, logger, name: 'millrace-executor-one' });
    await earlier.query({ text: 'SELECT 1' });
    expect(await recorded()).toBe('"done"');
    await earlier.close();
    // The server can list a closed connection for a moment.
    await until(async () => (await countEarlierServices(database)) === 0);
    expect(await recorded()).toMatch(/^v1\./);
  } finally {
    await close();
  }
}, 60_000);
