import type { FlowChanges } from './flow-record';
import { FlowStore } from './flow-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow } from '../testing/test-parts';

/** Contract of the tokens by which FlowStore refuses changes of another state of a flow, on any database. */
export function describeFlowVersionTokens(name: string, open: () => TestDatabase): void {
  describe(`version tokens of flows (${name})`, () => {
    const flows = () => new FlowStore({ database: open().database });

    test('each change gives a flow another token, and one that names an older token changes nothing', async () => {
      const flow = await makeFlow(open().database);
      const { versionToken: first } = (await flows().find(flow.userId, flow.id))!;
      const update = (changes: FlowChanges) => flows().update(flow.userId, flow.id, changes);
      const changed = await update({ description: 'a', expectedVersionToken: first });
      expect(changed).toMatchObject({ description: 'a' });
      const second = changed!.versionToken;
      expect(second).not.toBe(first);
      await expect(update({ description: 'b', expectedVersionToken: first })).rejects.toMatchObject({
        name: 'FlowVersionConflictError',
        flowId: flow.id,
        versionToken: second,
        updatedAt: changed!.updatedAt,
      });
      expect(await flows().find(flow.userId, flow.id)).toEqual(changed);
      await update({ needsPython: false });
      await expect(update({ expectedVersionToken: second })).rejects.toThrow('was changed');
    });

    test('values that a flow has already leave its token and its time', async () => {
      const flow = await makeFlow(open().database);
      const update = (changes: FlowChanges) => flows().update(flow.userId, flow.id, changes);
      const settings = { editedCode: 'refuse' } as const;
      const members = {
        description: 'a',
        settings,
        attributes: { icon: 'b' },
        document: { nodes: [], edges: [] },
      };
      const before = await update(members);
      expect(await update(members)).toEqual(before);
      expect((await update({ ...members, attributes: { icon: 'c' } }))?.versionToken).not.toBe(
        before!.versionToken,
      );
    });

    test('of concurrent changes that name the same token, one is made', async () => {
      const flow = await makeFlow(open().database);
      const { versionToken } = (await flows().find(flow.userId, flow.id))!;
      const changes = ['a', 'b', 'c', 'd'].map((description) =>
        flows().update(flow.userId, flow.id, { description, expectedVersionToken: versionToken }),
      );
      const states = (await Promise.allSettled(changes)).map(({ status }) => status);
      expect(states.filter((state) => state === 'fulfilled')).toHaveLength(1);
    });
  });
}
