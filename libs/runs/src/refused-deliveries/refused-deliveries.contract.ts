import { FlowStore } from '../flows/flow-store';
import { RefusedDeliveryStore } from './refused-delivery-store';
import type { RefusedDelivery } from './refused-delivery-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';

const DAY = 86_400_000;

/** Contract for the refused deliveries, on any database. */
export function describeRefusedDeliveries(name: string, open: () => TestDatabase): void {
  describe(`refused deliveries (${name})`, () => {
    const store = () => new RefusedDeliveryStore({ database: open().database });
    const refused = (flowId: string, changes: Partial<RefusedDelivery> = {}) => ({
      flowId,
      refusedAt: new Date(),
      count: 1,
      code: 'signature_invalid',
      status: 401,
      reason: 'Invalid webhook signature',
      requestId: 'request',
      clientAddress: '127.0.0.1',
      ...changes,
    });

    test('the newest 50 of each flow are kept, and none of a deleted flow', async () => {
      const { database } = open();
      const [flow, other] = [await makeFlow(database), await makeFlow(database)];
      const start = Date.now() - DAY;
      const at = (index: number) => new Date(start + index * 1_000);
      await store().add([refused(other.id)]);
      for (const first of [0, 30])
        await store().add(
          Array.from({ length: 30 }, (_, index) =>
            refused(flow.id, { refusedAt: at(first + index), count: first + index + 1 }),
          ),
        );
      const found = await store().list(flow.id);
      expect(found.map(({ count }) => count)).toEqual(Array.from({ length: 50 }, (_, index) => 60 - index));
      expect(found[0]).toMatchObject(refused(flow.id, { refusedAt: at(59), count: 60 }));
      expect(await store().list(other.id)).toHaveLength(1);
      await new FlowStore({ database }).delete(flow.userId, flow.id);
      await store().add([refused(flow.id)]);
      expect(await store().list(flow.id)).toEqual([]);
    });

    test('old ones are deleted', async () => {
      const flow = await makeFlow(open().database);
      await store().add([refused(flow.id, { refusedAt: new Date(Date.now() - 9 * DAY) }), refused(flow.id)]);
      expect(await store().prune({ retentionDays: 7, limit: 100 })).toBe(1);
      expect(await store().list(flow.id)).toHaveLength(1);
    });
  });
}
