import { FlowStore } from './flow-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';

const DOCUMENT = { nodes: [{ id: 'b', z: 1, a: 'zero \u0000' }], edges: [] };

/** Contract for the versions of flows, on any database. */
export function describeFlowVersions(name: string, open: () => TestDatabase): void {
  describe(`versions of flows (${name})`, () => {
    const flows = () => new FlowStore({ database: open().database });

    test('lists the versions of a flow, and activates the document of an old one as a new version', async () => {
      const user = await makeUser(open().database);
      const { id } = await flows().create(user.id, { name: 'versions', document: DOCUMENT });
      const document = { nodes: [], edges: [] };
      await flows().update(user.id, id, { document });
      await flows().update(user.id, id, { document: DOCUMENT, restoredFrom: 1 });
      const numbers = async (before?: number, limit = 10, userId = user.id) =>
        (await flows().versions(userId, id, { limit, before })).map(({ version }) => version);
      expect(await numbers()).toEqual([3, 2, 1]);
      expect(await numbers(3, 1)).toEqual([2]);
      const stranger = await makeUser(open().database);
      expect(await numbers(undefined, 10, stranger.id)).toEqual([]);
      expect(await flows().version(stranger.id, id, 1)).toBeNull();
      expect(await flows().version(user.id, id, 4)).toBeNull();
      expect(await flows().version(user.id, id, 2)).toMatchObject({
        document,
        isActive: false,
        restoredFrom: null,
      });
      expect(await flows().version(user.id, id, 3)).toMatchObject({
        document: DOCUMENT,
        isActive: true,
        restoredFrom: 1,
      });
    });
  });
}
