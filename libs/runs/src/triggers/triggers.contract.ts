import { randomUUID } from 'node:crypto';
import type { FlowRecord } from '../flows/flow-record';
import type { NewTriggerEvent } from './trigger-event-record';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';
import { triggerParts } from '../testing/trigger-parts';
import { NODE_REMOVED, nodeTriggersOf, syncNodeTriggers } from './sync-node-triggers';

const SHARE = { publishedPerUser: 1_000 };

/** Contract for triggers and their events, on any database. */
export function describeTriggers(name: string, open: () => TestDatabase): void {
  describe(`triggers (${name})`, () => {
    const { triggers, runs, events, make, eventOf, end } = triggerParts(open);
    const accept = (...given: NewTriggerEvent[]) => events().accept(given, SHARE);
    const release = async (flow: FlowRecord) =>
      (await runs().releaseBacklog({ ...SHARE, limit: 500 })).runs
        .filter(({ userId }) => userId === flow.userId)
        .map(({ id }) => id);

    test('an event is stored with its run, and repeats of it are the same event', async () => {
      const flow = await makeFlow(open().database);
      const trigger = await make(flow);
      const first = eventOf(flow, trigger, 'key');
      const repeat = eventOf(flow, trigger, 'key');
      expect(await accept(first)).toEqual([{ runId: first.run.id, isNew: true, isInBacklog: false }]);
      expect(await accept(repeat)).toEqual([{ runId: first.run.id, isNew: false, isInBacklog: false }]);
      const stored = await triggers().events(flow.userId, trigger.id, { limit: 10, offset: 0 });
      expect(stored).toMatchObject([
        { id: first.id, runId: first.run.id, payload: '{"n":1.0}', status: 'accepted' },
      ]);
      expect(await triggers().event(flow.userId, trigger.id, first.id)).toEqual(stored[0]);
      expect(await triggers().event(randomUUID(), trigger.id, first.id)).toBeNull();
      expect((await runs().find(flow.userId, first.run.id))?.status).toBe('accepted');
      expect((await triggers().find(flow.userId, trigger.id))?.lastFiredAt).toEqual(expect.any(Date));
    });

    test('two repeats of an event in one batch are the same event', async () => {
      const flow = await makeFlow(open().database);
      const trigger = await make(flow);
      const given = [eventOf(flow, trigger, 'key'), eventOf(flow, trigger, 'key')];
      const answers = await accept(...given);
      expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
      expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    });

    test('a paused and a deleted trigger accept nothing, and leave no run', async () => {
      const flow = await makeFlow(open().database);
      const paused = await make(flow, { state: 'paused' });
      const deleted = await make(flow);
      await triggers().remove(flow.userId, deleted.id);
      const given = [eventOf(flow, paused), eventOf(flow, deleted)];
      expect((await accept(...given)).map(({ runId }) => runId)).toEqual([null, null]);
      for (const { run } of given) expect(await runs().find(flow.userId, run.id)).toBeNull();
    });

    test('events beyond the limit of their trigger wait, and are released as earlier ones end', async () => {
      const flow = await makeFlow(open().database);
      const limited = await make(flow, { concurrencyLimit: 2 });
      const other = await make(flow);
      const given = [1, 2, 3, 4].map(() => eventOf(flow, limited));
      const ids = given.map(({ run }) => run.id);
      const answers = await accept(...given);
      expect(answers.map(({ isInBacklog }) => isInBacklog)).toEqual([false, false, true, true]);
      expect(await release(flow)).toEqual([]);
      await end(ids[0] ?? '');
      expect(await release(flow)).toEqual([ids[2]]);
      expect(await release(flow)).toEqual([]);
      await end(ids[1] ?? '');
      await end(ids[2] ?? '');
      // An event of another trigger of the flow does not wait for this one.
      const [free] = await accept(eventOf(flow, other));
      expect(free?.isNew).toBe(true);
      expect(await release(flow)).toContain(ids[3]);
    });

    test('the address of an inbound webhook stays while its secret changes', async () => {
      const flow = await makeFlow(open().database);
      const { id } = await make(flow);
      const first = await triggers().rotateSecret(flow.userId, id);
      const second = await triggers().rotateSecret(flow.userId, id);
      expect(second?.publicId).toBe(first?.publicId);
      const found = await triggers().findByAddress(first?.publicId ?? '', null);
      expect(found).toMatchObject({
        secret: second?.secret,
        trigger: { id },
        flow: { id: flow.id, version: 1 },
      });
      const { rows } = await open().database.query<{ secret: string }>({
        text: 'SELECT encrypted_secret AS secret FROM triggers WHERE id = $1',
        values: [id],
      });
      expect(rows[0]?.secret).not.toContain(second?.secret);
      await triggers().update(flow.userId, id, { state: 'paused' });
      expect(await triggers().findByAddress(first?.publicId ?? '', null)).toBeNull();
    });

    test('nodes of a document make, change and pause triggers', async () => {
      const flow = await makeFlow(open().database);
      const { database } = open();
      const sync = (...nodes: unknown[]) =>
        syncNodeTriggers(
          database,
          triggers(),
          { userId: flow.userId, flowId: flow.id, now: new Date() },
          nodeTriggersOf({ nodes }),
        );
      const scheduleNode = (cron: string) => ({
        id: 'ScheduleTrigger-a',
        data: { type: 'ScheduleTrigger', node: { template: { cron_expression: { value: cron } } } },
      });
      const list = () => triggers().list(flow.userId, flow.id, { limit: 10, offset: 0 });
      await sync(scheduleNode('0  8 * * *'));
      const [made] = await list();
      const config = { cron: '0 8 * * *', timezone: 'UTC', catchup_policy: 'coalesce', share_session: false };
      expect(made).toMatchObject({ kind: 'schedule', state: 'pending', name: 'Schedule 0 8 * * *', config });
      await sync(scheduleNode('0 9 * * *'));
      expect(await list()).toMatchObject([
        { id: made?.id, config: { cron: '0 9 * * *' }, name: 'Schedule 0 9 * * *' },
      ]);
      await sync();
      expect(await list()).toMatchObject([{ id: made?.id, state: 'paused', lastError: NODE_REMOVED }]);
      await sync(scheduleNode('0 9 * * *'));
      expect(await list()).toMatchObject([{ id: made?.id, state: 'pending', lastError: null }]);
    });
  });
}
