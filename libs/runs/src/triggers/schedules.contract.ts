import type { FlowRecord } from '../flows/flow-record';
import type { NewTriggerEvent } from './trigger-event-record';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';
import { triggerParts } from '../testing/trigger-parts';
import type { FiringSchedule } from './fire-schedules';
import type { NewTrigger, TriggerRecord } from './trigger-record';

/** Contract for firing schedules, on any database. */
export function describeSchedules(name: string, open: () => TestDatabase): void {
  describe(`schedules (${name})`, () => {
    const { triggers, events, make, eventOf, end } = triggerParts(open);
    const fire = (options: { readonly eventOf?: (firing: FiringSchedule) => NewTriggerEvent } = {}) =>
      events().fire({
        limit: 200,
        publishedPerUser: 1_000,
        pythonPool: null,
        eventOf: ({ trigger, flow, firing }) => {
          const record = { ...flow, id: trigger.flowId } as unknown as FlowRecord;
          return eventOf(record, trigger, `schedule:${firing.occurrence}`);
        },
        ...options,
      });
    const due = async (flow: FlowRecord, config: object = {}, changes: Partial<NewTrigger> = {}) => {
      const at = new Date(Date.now() - 500);
      return make(flow, {
        kind: 'schedule',
        state: 'active',
        config: { every_seconds: 3_600, start_at: at.toISOString(), ...config },
        nextOccurrenceAt: at,
        nextFireAt: at,
        ...changes,
      });
    };
    const eventsOf = (trigger: TriggerRecord) =>
      triggers().events(trigger.userId, trigger.id, { limit: 200, offset: 0 });

    test('each of many processes fires other schedules, and each occurrence has one run', async () => {
      const flow = await makeFlow(open().database);
      const made = await Promise.all(Array.from({ length: 20 }, () => due(flow)));
      await Promise.all([fire(), fire(), fire(), fire()]);
      await fire();
      for (const trigger of made) {
        expect(await eventsOf(trigger)).toHaveLength(1);
        const after = await triggers().find(flow.userId, trigger.id);
        const expected = (trigger.nextOccurrenceAt?.getTime() ?? 0) + 3_600_000;
        expect(after).toMatchObject({
          nextOccurrenceAt: new Date(expected),
          state: 'active',
          lastError: null,
        });
      }
    });

    test('an occurrence that has an event never has a second one, even when the schedule goes back', async () => {
      const flow = await makeFlow(open().database);
      const trigger = await due(flow);
      await fire();
      const { nextOccurrenceAt, nextFireAt } = trigger;
      await triggers().update(flow.userId, trigger.id, { nextOccurrenceAt, nextFireAt });
      await fire();
      expect(await eventsOf(trigger)).toHaveLength(1);
    });

    test('a process that fails before the commit leaves the schedule due, without a run', async () => {
      const flow = await makeFlow(open().database);
      const trigger = await due(flow);
      const failing = fire({
        eventOf: () => {
          throw new Error('the process ends here');
        },
      });
      await expect(failing).rejects.toThrow('the process ends here');
      expect(await eventsOf(trigger)).toEqual([]);
      await fire();
      expect(await eventsOf(trigger)).toHaveLength(1);
    });

    test('pending and paused schedules do not fire', async () => {
      const flow = await makeFlow(open().database);
      const made = [await due(flow, {}, { state: 'pending' }), await due(flow, {}, { state: 'paused' })];
      await fire();
      for (const trigger of made) expect(await eventsOf(trigger)).toEqual([]);
    });

    test('with the policy skip no occurrence fires while an earlier one runs', async () => {
      const flow = await makeFlow(open().database);
      const at = Date.now() - 500;
      const config = {
        every_seconds: 1,
        start_at: new Date(at - 60_000).toISOString(),
        overlap_policy: 'skip',
      };
      const times = (time: number) => ({ nextOccurrenceAt: new Date(time), nextFireAt: new Date(time) });
      const trigger = await due(flow, config, times(at));
      await fire();
      const [first] = await eventsOf(trigger);
      expect(first?.dedupeKey).toBe(`schedule:${at}`);
      const again = async () => {
        await triggers().update(flow.userId, trigger.id, times(at - 1_000));
        return fire();
      };
      expect((await again()).overlapped).toBeGreaterThan(0);
      expect(await eventsOf(trigger)).toHaveLength(1);
      await end(first?.runId ?? '');
      await again();
      expect(await eventsOf(trigger)).toHaveLength(2);
    });

    test('a schedule whose configuration is invalid is paused with the reason', async () => {
      const flow = await makeFlow(open().database);
      const trigger = await due(flow, { timezone: 'Mars/Base' });
      await fire();
      const reason = { state: 'paused', lastError: 'Unknown timezone; use an IANA timezone name.' };
      expect(await triggers().find(flow.userId, trigger.id)).toMatchObject(reason);
    });

    test('looking for due schedules reads one index', async () => {
      const flow = await makeFlow(open().database);
      const { database } = open();
      await database.query({
        text: `INSERT INTO triggers (id, flow_id, user_id, name, kind, config, state, session_policy,
          concurrency_limit, max_attempts, next_occurrence_at, next_fire_at)
        SELECT gen_random_uuid(), $1, $2, 's', 'schedule', '{"every_seconds":3600}', 'active', 'per_event', 1, 1,
          now() + n * interval '1 second' + interval '1 hour', now() + n * interval '1 second' + interval '1 hour'
        FROM generate_series(1, 5000) AS n`,
        values: [flow.id, flow.userId],
      });
      await database.query({ text: 'ANALYZE triggers' });
      const { rows } = await database.query<Record<string, string>>({
        text: `EXPLAIN SELECT id FROM triggers WHERE kind = 'schedule' AND state = 'active'
        AND next_fire_at <= statement_timestamp() ORDER BY next_fire_at LIMIT 200`,
      });
      const plan = rows.map((row) => Object.values(row)[0]).join('\n');
      expect(plan).toContain('triggers_due');
      expect(plan).toContain('Index Cond');
      await database.query({ text: 'DELETE FROM triggers WHERE flow_id = $1', values: [flow.id] });
    });
  });
}
