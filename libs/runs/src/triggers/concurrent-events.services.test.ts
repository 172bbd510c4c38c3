import type { Queryable } from '@millrace/database';
import { until } from '@millrace/service/testing';
import type { FlowRecord, NewTriggerEvent, TriggerRecord } from '../index';
import { RequestSeal } from '../index';
import { openOnServer } from '../testing/open-test-database';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';
import { triggerParts } from '../testing/trigger-parts';
import { acceptEvents } from './accept-events';

// On a server: the embedded database has one connection, so that no two statements run at once there.
let open: TestDatabase;
beforeAll(async () => {
  open = await openOnServer();
}, 120_000);
afterAll(() => open.close());

const SHARE = { publishedPerUser: 1_000 };
const parts = triggerParts(() => open);
const acceptWithin = (connection: Queryable, events: readonly NewTriggerEvent[]) =>
  acceptEvents(connection, events, {
    ...SHARE,
    skipsLocked: false,
    seal: new RequestSeal({ encryption: null }),
  });
const makeTrigger = async (concurrencyLimit: number): Promise<[FlowRecord, TriggerRecord]> => {
  const flow = await makeFlow(open.database);
  return [flow, await parts.make(flow, { concurrencyLimit })];
};
const eventsOf = (flow: FlowRecord, trigger: TriggerRecord, count: number) =>
  Array.from({ length: count }, () => parts.eventOf(flow, trigger));

async function isWaitingForLock(): Promise<boolean> {
  const text = `SELECT FROM pg_locks WHERE NOT granted AND pid IN (
    SELECT pid FROM pg_stat_activity WHERE query LIKE 'WITH given AS%' AND datname = current_database())`;
  return (await open.database.query({ text })).rows.length > 0;
}

/** Accepts two further events while a statement that accepted others of the same trigger has not committed. */
async function acceptBeside(limit: number): Promise<string> {
  const [flow, trigger] = await makeTrigger(limit);
  const [first, second] = [eventsOf(flow, trigger, 2), eventsOf(flow, trigger, 2)];
  const { answers } = await open.database.transaction(async (connection) => {
    await acceptWithin(connection, first);
    let isAnswered = false;
    const accepted = parts
      .events()
      .accept(second, SHARE)
      .finally(() => (isAnswered = true));
    await until(async () => isAnswered || (await isWaitingForLock()), 'the second batch did not begin');
    return { answers: accepted };
  });
  return (await answers).map(({ isInBacklog }) => (isInBacklog ? 'waits' : 'has a place')).join(', ');
}

// On a busy machine the first batch can take longer than the second one waits.
const accepts = (limit: number, places: string) =>
  until(async () => (await acceptBeside(limit)) === places, `no two events of which: ${places}`, 20_000);

test('events of two batches at once have their places while their trigger has room', () =>
  accepts(4, 'has a place, has a place'));

test('two batches at once do not both take the last place of a trigger', () =>
  accepts(3, 'has a place, waits'));

test('events join the backlog while another session keeps the row of their trigger, and other triggers have room', async () => {
  const [[flow, changed], [otherFlow, other]] = [await makeTrigger(4), await makeTrigger(4)];
  await open.database.transaction(async (connection) => {
    await connection.query({
      text: 'SELECT FROM triggers WHERE id = $1 FOR NO KEY UPDATE',
      values: [changed.id],
    });
    const given = [...eventsOf(flow, changed, 1), ...eventsOf(otherFlow, other, 1)];
    const answers = await parts.events().accept(given, SHARE);
    expect(answers.map(({ isInBacklog }) => isInBacklog)).toEqual([true, false]);
  });
});
