import { randomUUID } from 'node:crypto';
import { FlowStore } from '../flows/flow-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';
import { memberName, MemberStore } from './member-store';
import { ProjectStore } from './project-store';

/** Contract of ProjectStore, and of the triggers that create projects, on any database. */
export function describeProjects(name: string, open: () => TestDatabase): void {
  describe(`projects (${name})`, () => {
    const projects = () => new ProjectStore({ database: open().database });
    const flows = () => new FlowStore({ database: open().database });
    const newFlow = (folderId?: string) => ({
      name: 'flow',
      document: null,
      ...(folderId ? { folderId } : {}),
    });

    test('each new user has a default project, which a flow without one is in', async () => {
      const user = await makeUser(open().database);
      const [standard, ...others] = await projects().list(user.id);
      expect(standard).toMatchObject({ id: user.folderId, name: 'Starter Project', isDefault: true });
      expect(others).toEqual([]);
      expect(await flows().create(user.id, newFlow())).toMatchObject({ folderId: user.folderId });
      expect(await flows().create(user.id, newFlow(randomUUID()))).toMatchObject({ folderId: user.folderId });
    });

    test('a folder that another release stores with a flow is a project, of each user that names it', async () => {
      const users = [await makeUser(open().database), await makeUser(open().database)];
      const folder = randomUUID();
      for (const { id } of users) {
        const flow = await flows().create(id, newFlow());
        await open().database.query({
          text: 'UPDATE flows SET folder_id = $2 WHERE id = $1',
          values: [flow.id, folder],
        });
        expect(await projects().find(id, folder)).toMatchObject({
          name: `Project ${folder}`,
          isDefault: false,
        });
        expect(await flows().listTools(id, folder, 10)).toEqual([]);
      }
    });

    test('concurrent creations get different names', async () => {
      const { id } = await makeUser(open().database);
      await Promise.all(Array.from({ length: 4 }, () => projects().create(id, { name: 'same' })));
      expect((await projects().list(id)).slice(1).map((project) => project.name)).toEqual([
        'same',
        'same (1)',
        'same (2)',
        'same (3)',
      ]);
      const exact = projects().create(id, { name: 'same' }, { exactName: true });
      await expect(exact).rejects.toMatchObject({ code: 'duplicate', field: 'name' });
    });

    test('only a project without flows is deleted, for its user only', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const { id } = await projects().create(user.id, { name: 'doomed' });
      const flow = await flows().create(user.id, newFlow(id));
      const remove = (userId: string) => projects().deleteEmpty(userId, id);
      expect([await remove(user.id), await remove(other.id)]).toEqual([false, false]);
      await projects().moveFlows(other.id, other.folderId, [flow.id]);
      expect(await flows().find(user.id, flow.id)).toMatchObject({ folderId: id });
      await projects().moveFlows(user.id, user.folderId, [flow.id]);
      expect([await remove(user.id), await remove(user.id)]).toEqual([true, false]);
    });

    test('a member acts as the owner within the project, until the project or either user is deleted', async () => {
      const { database } = open();
      const members = new MemberStore({ database });
      const [owner, guest, thief, newcomer] = await Promise.all([1, 2, 3, 4].map(() => makeUser(database)));
      if (!owner || !guest || !thief || !newcomer) throw new Error('no users');
      const { id } = await projects().create(owner.id, { name: 'shared' });
      const of = { ownerId: owner.id, projectId: id, userId: guest.id };
      const membership = memberName(guest.id, id);
      expect(await members.resolve(membership)).toBeNull();
      await members.put(of, { role: 'viewer', payloads: false });
      expect(await members.resolve(membership)).toEqual({
        userId: owner.id,
        keyId: '',
        keyHash: membership,
        scopes: ['run'],
        expiresAt: null,
        bounds: { projects: [id] },
        limits: null,
        member: { userId: guest.id, name: membership, role: 'viewer', payloads: false },
      });
      await projects().create(thief.id, { id, name: 'same id' });
      await members.put(of, { role: 'editor', payloads: false });
      expect(await members.list(owner.id, null)).toMatchObject([{ ...of, role: 'editor', payloads: true }]);
      for (const [ownerId, userId] of [
        [thief.id, guest.id],
        [thief.id, newcomer.id],
      ] as const) {
        const mistaken = members.put({ ownerId, projectId: id, userId }, { role: 'owner', payloads: true });
        await expect(mistaken).rejects.toMatchObject({ code: 'duplicate', field: 'project_id' });
      }
      await members.put({ ...of, userId: newcomer.id }, { role: 'viewer', payloads: false });
      await members.delete(owner.id, id, newcomer.id);
      await members.delete(owner.id, id, guest.id);
      await members.put(of, { role: 'viewer', payloads: false });
      expect([await members.delete(thief.id, id, guest.id), await members.list(thief.id, id)]).toEqual([
        false,
        [],
      ]);
      await projects().deleteEmpty(owner.id, id);
      expect([await members.ofUser(guest.id), await members.resolve(membership)]).toEqual([[], null]);
    });
  });
}
