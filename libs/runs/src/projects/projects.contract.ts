import { randomUUID } from 'node:crypto';
import { AuditedChange } from '../audit/audited-change';
import { FlowStore } from '../flows/flow-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';
import type { Role } from '../users/api-key-record';
import { identityHash, IdentityStore } from '../users/identity-store';
import { memberName, MemberStore, projectPlace } from './member-store';
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

    describe('members of groups', () => {
      const store = () => new MemberStore({ database: open().database });
      /** Lets the members follow a token of this time, in a transaction. */
      const follow = (
        { issuer, keyHash }: { readonly issuer: string; readonly keyHash: string },
        issuedAt: number,
        roles: Readonly<Record<string, Role>>,
      ) =>
        open().database.transaction((connection) =>
          store()
            .within(new AuditedChange(connection))
            .follow({ issuer, keyHash, issuedAt, roles: new Map(Object.entries(roles)) }),
        );
      const makeIdentity = async () => {
        const [issuer, subject] = [`https://${randomUUID()}.test`, randomUUID()];
        const identities = new IdentityStore({ database: open().database });
        const made = await identities.make({
          issuer,
          subject,
          keyName: 'sign-on',
          usernames: [subject],
          isAdmin: false,
          linkedTo: undefined,
        });
        return {
          issuer,
          keyHash: identityHash({ issuer, subject }),
          userId: made?.userId ?? '',
          username: subject,
        };
      };
      const makeProject = async () => {
        const { id: ownerId, username } = await makeUser(open().database);
        const projectId = (await projects().create(ownerId, { name: 'p' })).id;
        return { ownerId, projectId, place: projectPlace(username, projectId) };
      };
      const rolesOf = async (userId: string) =>
        (await store().ofUser(userId)).map(({ projectId, role, issuer }) => [projectId, role, issuer]);

      test('follow the newest token, on two processes at once', async () => {
        const [guest, first, second] = [await makeIdentity(), await makeProject(), await makeProject()];
        const { issuer, userId } = guest;
        const [a, b] = [first.projectId, second.projectId];
        const [inFirst, inSecond] = [first.place, second.place];
        expect(await follow({ ...guest, keyHash: 'unknown' }, 1, { [inFirst]: 'owner' })).toBeNull();
        // The id of another user's project, with the name of the owner of the first one.
        const mistaken = inFirst.replace(a, b);
        expect(await follow(guest, 5, { [inFirst]: 'editor', [mistaken]: 'owner' })).toMatchObject([
          { userId, projectId: a, projectName: 'p', issuer, role: 'editor' },
        ]);
        expect(await follow(guest, 5, { [inFirst]: 'editor' })).toEqual([]);
        expect(await follow(guest, 4, { [inSecond]: 'owner' })).toBeNull();
        expect(await rolesOf(userId)).toEqual([[a, 'editor', issuer]]);
        const changes = await follow(guest, 6, { [inSecond]: 'viewer' });
        expect(new Map(changes?.map(({ projectId, role }) => [projectId, role]))).toEqual(
          new Map([
            [a, null],
            [b, 'viewer'],
          ]),
        );
        const setActive = (isActive: boolean) =>
          open().database.query({
            text: 'UPDATE api_keys SET is_active = $2 WHERE key_hash = $1',
            values: [guest.keyHash, isActive],
          });
        await setActive(false);
        expect(await store().resolve(memberName(userId, b))).toBeNull();
        await setActive(true);
        expect(await store().resolve(memberName(userId, b))).toMatchObject({ userId: second.ownerId });
        const times = [17, 12, 19, 11, 18, 13];
        await Promise.all(
          times.map((time) => follow(guest, time, { [time % 2 ? inFirst : inSecond]: 'operator' })),
        );
        expect(await rolesOf(userId)).toEqual([[a, 'operator', issuer]]);
        expect(await follow(guest, 20, {})).toMatchObject([{ projectId: a, role: null }]);
        expect(await rolesOf(userId)).toEqual([]);
      });

      test('leave members by hand, those of another issuer and the projects of the user', async () => {
        const [guest, { ownerId, projectId, place }] = [await makeIdentity(), await makeProject()];
        const { userId } = guest;
        const own = await projects().create(userId, { name: 'own' });
        const ownPlace = projectPlace(guest.username, own.id);
        await store().put({ ownerId, projectId, userId }, { role: 'viewer', payloads: true });
        expect(await follow(guest, 1, { [place]: 'owner', [ownPlace]: 'viewer' })).toEqual([]);
        expect(await follow(guest, 2, {})).toEqual([]);
        expect(await rolesOf(userId)).toEqual([[projectId, 'viewer', null]]);
        await store().delete(ownerId, projectId, userId);
        await follow(guest, 3, { [place]: 'operator' });
        expect(await follow({ ...guest, issuer: 'https://other.test' }, 4, { [place]: 'owner' })).toEqual([]);
        expect(await rolesOf(userId)).toEqual([[projectId, 'operator', guest.issuer]]);
        await store().put({ ownerId, projectId, userId }, { role: 'operator', payloads: true });
        expect(await rolesOf(userId)).toEqual([[projectId, 'operator', null]]);
      });

      test('end with their issuer, or with the project that it gave', async () => {
        const [kept, removed, manual] = [await makeIdentity(), await makeIdentity(), await makeIdentity()];
        const [first, second] = [await makeProject(), await makeProject()];
        const roles = { [first.place]: 'viewer', [second.place]: 'viewer' } as const;
        await follow(kept, 1, roles);
        await follow(removed, 1, { [first.place]: 'viewer' });
        await store().put({ ...first, userId: manual.userId }, { role: 'viewer', payloads: false });
        const pairs = [{ issuer: kept.issuer, project: first.place }];
        const ended = (await store().keepOnly(pairs)).map(({ userId, projectId }) => [userId, projectId]);
        expect(ended).toEqual(
          expect.arrayContaining([
            [kept.userId, second.projectId],
            [removed.userId, first.projectId],
          ]),
        );
        expect(await store().keepOnly(pairs)).toEqual([]);
        expect(await rolesOf(manual.userId)).toEqual([[first.projectId, 'viewer', null]]);
        expect(await store().keepOnly([])).toMatchObject([{ userId: kept.userId, role: null }]);
        const absent = projectPlace('none', first.projectId);
        expect(await store().unknown([first.place, absent])).toEqual([absent]);
      });
    });
  });
}
