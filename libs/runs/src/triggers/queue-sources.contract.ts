import { randomUUID } from 'node:crypto';
import { QueueSourceStore } from './queue-source-store';
import type { TriggerRecord } from './trigger-record';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';
import { triggerParts } from '../testing/trigger-parts';

/** Contract for the leases of sources and their rejections, on any database. */
export function describeQueueSources(name: string, open: () => TestDatabase): void {
  describe(`queue sources (${name})`, () => {
    const { triggers, make } = triggerParts(open);
    const sources = () => new QueueSourceStore({ database: open().database });
    const owner = (leaseMilliseconds = 60_000) => ({ owner: randomUUID(), leaseMilliseconds });
    const page = { limit: 50, offset: 0 };
    const config = { connection: 'BROKER', queue: 'orders' };

    afterEach(() => open().database.query({ text: `DELETE FROM triggers WHERE kind = 'rabbitmq'` }));

    async function source(state: 'active' | 'pending' | 'paused' = 'active'): Promise<TriggerRecord> {
      const flow = await makeFlow(open().database);
      return make(flow, { kind: 'rabbitmq', config, state });
    }

    const statusOf = async ({ userId, id }: TriggerRecord) => (await triggers().find(userId, id))?.source;

    test('a source has one owner, whichever processes claim it', async () => {
      const made = await Promise.all([source(), source(), source()]);
      await Promise.all([source('pending'), source('paused')]);
      const owners = Array.from({ length: 6 }, () => owner());
      const claimed = await Promise.all(owners.map((process) => sources().claim(process, 10)));
      expect(claimed.reduce((sum, count) => sum + count)).toBe(3);
      const held = await Promise.all(owners.map((process) => sources().hold(process, null)));
      expect(
        held
          .flat()
          .map(({ trigger }) => trigger.id)
          .toSorted(),
      ).toEqual(made.map(({ id }) => id).toSorted());
      expect(held.flat()[0]).toMatchObject({
        trigger: { config, kind: 'rabbitmq' },
        flow: { pool: 'default' },
      });
      expect(await sources().claim(owner(), 10)).toBe(0);
    });

    test('another process takes a source whose lease is over or was released', async () => {
      const trigger = await source();
      const [first, second, third] = [owner(), owner(), owner()];
      expect(await sources().claim(first, 1)).toBe(1);
      const over = `UPDATE queue_sources SET lease_until = now() - interval '1 second' WHERE trigger_id = $1`;
      await open().database.query({ text: over, values: [trigger.id] });
      expect(await statusOf(trigger)).toMatchObject({ state: 'waiting' });
      expect(await sources().claim(second, 1)).toBe(1);
      expect(await sources().hold(first, null)).toEqual([]);
      expect(await sources().hold(second, null)).toMatchObject([{ trigger: { id: trigger.id } }]);
      // What a process without the lease notes or releases has no effect.
      await sources().note(first.owner, trigger.id, { state: 'failing', error: 'late' });
      await sources().release(first.owner, [trigger.id]);
      expect(await sources().claim(third, 1)).toBe(0);
      expect(await statusOf(trigger)).toMatchObject({ state: 'connecting', error: null });
      await sources().release(second.owner, [trigger.id]);
      expect(await sources().claim(third, 1)).toBe(1);
    });

    test('a source that was paused or deleted is not held any more', async () => {
      const [paused, deleted] = await Promise.all([source(), source()]);
      if (!paused || !deleted) throw new Error('no triggers');
      const process = owner();
      expect(await sources().claim(process, 10)).toBe(2);
      await triggers().update(paused.userId, paused.id, { state: 'paused' });
      await triggers().remove(deleted.userId, deleted.id);
      expect(await sources().hold(process, null)).toEqual([]);
    });

    test('the state of a source is that which its process notes last, beside the last failure', async () => {
      const trigger = await source();
      expect(await statusOf(trigger)).toBeNull();
      const process = owner();
      await sources().claim(process, 1);
      await sources().note(process.owner, trigger.id, { state: 'failing', error: 'refused \u0000' });
      await sources().note(process.owner, trigger.id, { state: 'consuming', error: null });
      const status = await statusOf(trigger);
      expect(status).toMatchObject({ state: 'consuming', error: expect.stringContaining('refused') });
      expect(Date.parse(status?.errorAt ?? '')).toBeLessThanOrEqual(Date.parse(status?.stateAt ?? ''));
    });

    test('rejections are listed newest first to the owner of the trigger, and the oldest are dropped', async () => {
      const [trigger, other] = await Promise.all([source(), source()]);
      if (!trigger || !other) throw new Error('no triggers');
      const rejection = { reason: 'undecodable', detail: 'The body is not JSON.', messageId: null } as const;
      await open().database.query({
        text: `INSERT INTO queue_rejections (id, trigger_id, reason, detail, bytes, created_at)
          SELECT gen_random_uuid(), $1, 'refused', 'old', 1, now() - interval '1 minute'
          FROM generate_series(1, 1002)`,
        values: [trigger.id],
      });
      await sources().reject(trigger.id, { ...rejection, bytes: 5, excerpt: 'no\u0000' });
      await sources().reject(randomUUID(), { ...rejection, bytes: 5, excerpt: null });
      const { rows } = await open().database.query<{ count: number }>({
        text: `SELECT count(*)::int AS count FROM queue_rejections WHERE trigger_id = $1`,
        values: [trigger.id],
      });
      expect(rows[0]?.count).toBe(1_000);
      const [newest] = await triggers().rejections(trigger.userId, trigger.id, page);
      expect(newest).toMatchObject({ ...rejection, bytes: 5, excerpt: expect.stringMatching(/^no/) });
      expect(await triggers().rejections(other.userId, trigger.id, page)).toEqual([]);
    });
  });
}
