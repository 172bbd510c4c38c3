import { createHmac, randomUUID } from 'node:crypto';
import { migrate, openDatabase } from '@millrace/database';
import type { Database, Queryable } from '@millrace/database';
import { createLogger } from '@millrace/service';
import { until } from '@millrace/service/testing';
import { openTestIngest } from '../testing/test-ingest';
import type { TestIngest } from '../testing/test-ingest';

// On a server: the embedded database has one connection, so that nothing waits for a lock there.
const logger = createLogger({ name: 'locked-rows-test', level: 'silent' });
const schema = `test_${randomUUID().replaceAll('-', '')}`;
let database: Database;
let ingest: TestIngest;

beforeAll(async () => {
  const address = new URL(process.env['DATABASE_URL'] ?? '');
  address.searchParams.set('options', `-c search_path=${schema}`);
  database = await openDatabase({ url: address.href, logger, name: 'locked-rows-test' });
  await database.query({ text: `CREATE SCHEMA ${schema}` });
  await migrate(database, { logger });
  ingest = await openTestIngest({}, database);
}, 120_000);
afterAll(async () => {
  await database.query({ text: `DROP SCHEMA ${schema} CASCADE` });
  await ingest.close();
});

interface Address {
  readonly userId: string;
  readonly id: string;
  readonly publicId: string;
  readonly secret: string;
}

async function newTrigger(owner: string): Promise<Address> {
  const userId = await ingest.newUser(owner);
  const trigger = await ingest.triggers.create(userId, {
    flowId: await ingest.newFlow(owner, {}, userId),
    name: 'hook',
    kind: 'inbound_webhook',
    nodeId: null,
    config: {},
    state: 'active',
    sessionPolicy: 'per_event',
    concurrencyLimit: 100,
    maximumAttempts: 5,
    flowVersion: null,
    nextOccurrenceAt: null,
    nextFireAt: null,
  });
  const secret = trigger && (await ingest.triggers.rotateSecret(userId, trigger.id));
  if (!trigger || !secret) throw new Error('no trigger');
  return { id: trigger.id, userId, ...secret };
}

let deliveries = 0;
function deliver({ publicId, secret }: Address): Promise<Response> {
  const body = JSON.stringify({ delivery: (deliveries += 1) });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const digest = createHmac('sha256', secret).update(`v1:${timestamp}:${body}`).digest('hex');
  const headers = { 'x-langflow-timestamp': timestamp, 'x-langflow-signature': `v1=${digest}` };
  return fetch(`${new URL(ingest.url).origin}/api/v1/triggers/ingress/webhook/${publicId}`, {
    method: 'POST',
    headers,
    body,
  });
}

/** Delivers to all triggers at once, several times; resolves to the answers by trigger. */
async function deliverToAll(triggers: readonly Address[], times: number): Promise<Response[][]> {
  return Promise.all(
    triggers.map((trigger) => Promise.all(Array.from({ length: times }, () => deliver(trigger)))),
  );
}

const lock = (connection: Queryable, { id }: Address, strength: string) =>
  connection.query({ text: `SELECT FROM triggers WHERE id = $1 FOR ${strength}`, values: [id] });

test('a trigger whose row is locked is refused alone, and the deliveries to others go on', async () => {
  const [locked, ...others] = [
    ...(await Promise.all(['locked', 'one', 'two', 'three'].map((owner) => newTrigger(owner)))),
  ] as [Address, ...Address[]];
  await database.transaction(async (connection) => {
    await lock(connection, locked, 'UPDATE');
    const [refused, ...accepted] = await deliverToAll([locked, ...others], 5);
    expect(accepted.flat().map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 202));
    for (const answer of refused ?? []) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('send it again') });
    }
  });
  expect((await deliver(locked)).status).toBe(202);
});

test('a trigger that is being changed accepts deliveries', async () => {
  const changed = await newTrigger('changed');
  await database.transaction(async (connection) => {
    await lock(connection, changed, 'NO KEY UPDATE');
    expect((await deliver(changed)).status).toBe(202);
  });
  expect(await ingest.triggers.events(changed.userId, changed.id, { limit: 10, offset: 0 })).toHaveLength(1);
});

test('a delivery whose trigger is paused before its event is stored is refused', async () => {
  const paused = await newTrigger('paused');
  const waiting = {
    text: `SELECT FROM pg_locks WHERE relation = '${schema}.trigger_events'::regclass AND NOT granted`,
  };
  const answered = await database.transaction(async (connection) => {
    await connection.query({ text: `LOCK TABLE ${schema}.trigger_events IN ACCESS EXCLUSIVE MODE` });
    const answer = deliver(paused);
    await until(async () => (await database.query(waiting)).rowCount > 0);
    const text = `UPDATE triggers SET state = 'paused' WHERE id = $1`;
    await connection.query({ text, values: [paused.id] });
    return { answer };
  });
  expect((await answered.answer).status).toBe(404);
  expect(await ingest.triggers.events(paused.userId, paused.id, { limit: 10, offset: 0 })).toEqual([]);
});
