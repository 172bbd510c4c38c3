import { randomUUID } from 'node:crypto';
import { MessageStore } from '../messages/message-store';
import { RunStore } from '../runs/run-store';
import { FlowStore } from './flow-store';
import type { TestDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, makeUser, messageRow } from '../testing/test-parts';

const DOCUMENT = {
  nodes: [{ id: 'b', z: 1, a: 'zero \u0000' }],
  edges: [],
  viewport: { x: 0, y: 0, zoom: 1 },
};

/** Contract of FlowStore, on any database. */
export function describeFlows(databaseName: string, open: () => TestDatabase): void {
  describe(`flows (${databaseName})`, () => {
    const flows = () => new FlowStore({ database: open().database });
    const unclassified = async (userId: string) => {
      const own = new Set(await flows().ids(userId));
      return (await flows().unclassified(10_000)).filter(({ id }) => own.has(id));
    };

    test('returns a flow as it was stored, including the order of its members', async () => {
      const user = await makeUser(open().database);
      const flow = await flows().create(user.id, {
        name: 'first',
        document: DOCUMENT,
        attributes: { icon: 'x', tags: ['b', 'a'] },
        settings: { pool: 'gpu' },
      });
      expect(flow).toMatchObject({
        version: 1,
        description: null,
        endpointName: null,
        folderId: user.folderId,
      });
      expect(JSON.stringify(flow.document)).toBe(JSON.stringify(DOCUMENT));
      expect(flow.attributes).toEqual({ icon: 'x', tags: ['b', 'a'] });
      expect(await flows().find(user.id, flow.id)).toEqual(flow);
      expect(await flows().list(user.id)).toEqual([flow]);
      expect(await flows().document(flow.id, 1)).toEqual(DOCUMENT);
      expect(await flows().document(flow.id, 2)).toBeNull();
    });

    test("no other user sees a user's flow", async () => {
      const flow = await makeFlow(open().database);
      const other = await makeUser(open().database);
      expect(await flows().find(other.id, flow.id)).toBeNull();
      expect(await flows().update(other.id, flow.id, { name: 'mine' })).toBeNull();
      expect(await flows().delete(other.id, flow.id)).toBe(false);
      expect(await flows().resolve(other.id, flow.id)).toBeNull();
      expect(await flows().list(other.id)).toEqual([]);
      expect(await flows().find(flow.userId, flow.id)).toEqual(flow);
    });

    test('a flow is found without its document by its id, its name or its endpoint name', async () => {
      const user = await makeUser(open().database);
      const other = await makeUser(open().database);
      const make = (name: string, endpointName: string | null, isComponent = false) =>
        flows().create(user.id, {
          name,
          endpointName,
          isComponent,
          description: `does ${name}`,
          document: {},
        });
      const plain = await make('plain', 'shared');
      const shared = await make('shared', null);
      await make('part', null, true);
      const { id, name, description, version, createdAt, endpointName } = plain;
      const summary = { id, name, description, version, createdAt, endpointName };
      expect(await flows().findSummary(user.id, 'plain')).toEqual(summary);
      expect(await flows().findSummary(user.id, plain.id.toUpperCase())).toEqual(summary);
      expect(await flows().findSummary(user.id, 'shared')).toMatchObject({ id: shared.id });
      await flows().update(user.id, shared.id, { name: 'renamed' });
      expect(await flows().findSummary(user.id, 'shared')).toEqual(summary);
      for (const unknown of ['part', 'nothing', randomUUID(), 'a\u0000'])
        expect(await flows().findSummary(user.id, unknown)).toBeNull();
      expect(await flows().findSummary(other.id, 'plain')).toBeNull();
      expect((await flows().listSummaries(user.id, 10)).map(({ name: listed }) => listed)).toEqual([
        'plain',
        'renamed',
      ]);
      expect(await flows().listSummaries(user.id, 1)).toEqual([summary]);
      expect(await flows().listSummaries(other.id, 10)).toEqual([]);
    });

    test('whether a flow needs Python is kept until its document changes', async () => {
      const user = await makeUser(open().database);
      const flow = await flows().create(user.id, { name: 'py', document: DOCUMENT, needsPython: true });
      const needs = async () => (await flows().resolve(user.id, flow.id))?.needsPython;
      expect(await needs()).toBe(true);
      await flows().update(user.id, flow.id, { name: 'renamed' });
      expect(await needs()).toBe(true);
      await flows().update(user.id, flow.id, { needsPython: false });
      expect(await needs()).toBe(false);
      await flows().update(user.id, flow.id, { document: { nodes: [], edges: [] }, needsPython: true });
      expect(await needs()).toBe(true);
      await flows().update(user.id, flow.id, { document: DOCUMENT });
      expect(await needs()).toBe(false);
      expect(await unclassified(user.id)).toEqual([{ id: flow.id, version: 3, document: DOCUMENT }]);
    });

    test('a flow of which it is unknown is classified once, by its newest version', async () => {
      const user = await makeUser(open().database);
      const flow = await flows().create(user.id, { name: 'old', document: DOCUMENT });
      const [found] = await unclassified(user.id);
      expect(found).toEqual({ id: flow.id, version: 1, document: DOCUMENT });
      await flows().update(user.id, flow.id, { document: { nodes: [] } });
      await flows().classify({ id: flow.id, version: 1 }, true);
      expect(await flows().resolve(user.id, flow.id)).toMatchObject({ needsPython: false });
      await flows().classify({ id: flow.id, version: 2 }, true);
      await flows().classify({ id: flow.id, version: 2 }, false);
      expect(await flows().resolve(user.id, flow.id)).toMatchObject({ needsPython: true, pool: 'default' });
      expect(await unclassified(user.id)).toEqual([]);
    });

    test('numbers taken names, also under concurrent creation', async () => {
      const user = await makeUser(open().database);
      const made = await Promise.all(
        Array.from({ length: 6 }, () =>
          flows().create(user.id, { name: 'twin (x)', endpointName: 'same-ep', document: {} }),
        ),
      );
      const numbers = ['', ' (1)', ' (2)', ' (3)', ' (4)', ' (5)'];
      expect(made.map((flow) => flow.name).sort()).toEqual(numbers.map((number) => `twin (x)${number}`));
      const endpoints = ['', '-1', '-2', '-3', '-4', '-5'].map((number) => `same-ep${number}`);
      expect(made.map((flow) => flow.endpointName).sort()).toEqual(endpoints);
    });

    test('an uploaded flow keeps its id unless the id is taken', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const id = randomUUID();
      expect((await flows().create(user.id, { id, name: 'a', document: {} })).id).toBe(id);
      expect((await flows().create(other.id, { id, name: 'a', document: {} })).id).not.toBe(id);
    });

    test('refuses a name that cannot be stored; settings and attributes have U+FFFD for such characters', async () => {
      const user = await makeUser(open().database);
      const refused = flows().create(user.id, { name: 'a\u0000b', document: {} });
      await expect(refused).rejects.toMatchObject({ code: 'unstorable_text' });
      const flow = await flows().create(user.id, { name: 'f', document: {} });
      for (const text of ['a\u0000b', '\ud800', '\udfff😀'])
        for (const changes of [{ settings: { pool: text } }, { attributes: { [text]: 1 } }]) {
          const stored = JSON.parse(
            JSON.stringify(changes).replace(/\\u(0000|d800|dfff)/, '\ufffd'),
          ) as object;
          expect(await flows().update(user.id, flow.id, changes)).toMatchObject(stored);
          expect(await flows().create(user.id, { name: 'g', document: {}, ...changes })).toMatchObject(
            stored,
          );
        }
    });

    test('accepts long names', async () => {
      const user = await makeUser(open().database);
      const long = Array.from({ length: 2000 }, (_, index) => String.fromCodePoint(0x4e00 + index * 7)).join(
        '',
      );
      expect((await flows().create(user.id, { name: long, document: {} })).name).toBe(long);
      expect((await flows().create(user.id, { name: long, document: {} })).name).toBe(`${long} (1)`);
    });

    test('only a different document creates a new version, and the old version stays readable', async () => {
      const flow = await makeFlow(open().database);
      const renamed = await flows().update(flow.userId, flow.id, {
        name: 'renamed',
        document: flow.document,
      });
      expect(renamed).toMatchObject({ name: 'renamed', version: 1 });
      expect(renamed!.updatedAt.getTime()).toBeGreaterThanOrEqual(flow.updatedAt.getTime());
      const changed = await flows().update(flow.userId, flow.id, {
        document: DOCUMENT,
        settings: { pool: 'p' },
      });
      expect(changed).toMatchObject({
        version: 2,
        document: DOCUMENT,
        settings: { pool: 'p' },
        name: 'renamed',
      });
      expect(await flows().document(flow.id, 1)).toEqual(flow.document);
      expect(await flows().resolve(flow.userId, flow.id)).toMatchObject({ version: 2, pool: 'p' });
    });

    test('concurrent changes create consecutive versions', async () => {
      const flow = await makeFlow(open().database);
      await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          flows().update(flow.userId, flow.id, { document: { index } }),
        ),
      );
      expect((await flows().find(flow.userId, flow.id))?.version).toBe(6);
    });

    test('refuses an update to a taken name and names the field', async () => {
      const user = await makeUser(open().database);
      const flow = await flows().create(user.id, { name: 'one', endpointName: 'one', document: {} });
      await flows().create(user.id, { name: 'two', endpointName: 'two', document: {} });
      const name = flows().update(user.id, flow.id, { name: 'two' });
      await expect(name).rejects.toMatchObject({ code: 'duplicate', field: 'name' });
      const endpoint = flows().update(user.id, flow.id, { endpointName: 'two' });
      await expect(endpoint).rejects.toMatchObject({ code: 'duplicate', field: 'endpoint_name' });
      expect(await flows().update(user.id, flow.id, { endpointName: null })).toMatchObject({
        endpointName: null,
      });
    });

    test('finds a flow by its id in any spelling and by its endpoint name', async () => {
      const user = await makeUser(open().database);
      const endpointName = `ep-${randomUUID()}x`;
      const flow = await flows().create(user.id, { name: 'f', endpointName, document: {} });
      const reference = {
        id: flow.id,
        userId: user.id,
        version: 1,
        pool: 'default',
        settings: {},
        name: 'f',
        projectId: expect.any(String),
        pauseReason: null,
        limits: null,
        isEmpty: true,
        needsPython: false,
      };
      for (const spelling of [
        flow.id,
        flow.id.toUpperCase(),
        flow.id.replaceAll('-', ''),
        `{${flow.id}}`,
        endpointName,
      ]) {
        expect(await flows().resolve(user.id, spelling)).toEqual(reference);
        expect(await flows().resolve(null, spelling)).toEqual(reference);
      }
      expect(await flows().resolve(user.id, 'nothing\u0000here')).toBeNull();
      const other = await makeUser(open().database);
      expect(await flows().resolve(other.id, endpointName)).toBeNull();
      await flows().create(other.id, { name: 'f', endpointName, document: {} });
      expect(await flows().resolve(null, endpointName)).toBeNull();
      expect(await flows().resolve(user.id, endpointName)).toEqual(reference);
    });

    test('a flow without a document is empty, one with nodes is not', async () => {
      const user = await makeUser(open().database);
      const flow = await flows().create(user.id, { name: 'f', document: null });
      expect(flow.document).toBeNull();
      expect(await flows().resolve(user.id, flow.id)).toMatchObject({ isEmpty: true });
      await flows().update(user.id, flow.id, { document: DOCUMENT });
      expect(await flows().resolve(user.id, flow.id)).toMatchObject({ isEmpty: false });
    });

    test('deleting a flow deletes its versions, runs and messages', async () => {
      const flow = await makeFlow(open().database);
      const runs = new RunStore({ database: open().database });
      const run = interactiveRun(flow, { messages: [messageRow(flow)] });
      await runs.record([run]);
      expect(await flows().delete(flow.userId, flow.id)).toBe(true);
      expect(await flows().delete(flow.userId, flow.id)).toBe(false);
      expect(await flows().document(flow.id, 1)).toBeNull();
      expect(await runs.find(flow.userId, run.id)).toBeNull();
      expect(await new MessageStore({ database: open().database }).list({ userId: flow.userId })).toEqual([]);
    });

    test('finds flows by several ids, and ids by folder and kind', async () => {
      const [user, other] = [await makeUser(open().database), await makeUser(open().database)];
      const create = (userId: string, isComponent = false) =>
        flows().create(userId, { name: 'one of many', document: {}, isComponent });
      const kept = await create(user.id);
      const part = await create(user.id, true);
      const foreign = await create(other.id);
      expect(await flows().ids(user.id)).toEqual([kept.id, part.id]);
      expect(await flows().ids(user.id, { componentsOnly: true })).toEqual([part.id]);
      expect(await flows().ids(user.id, { folderId: user.id })).toEqual([]);
      expect(await flows().findMany(user.id, [part.id, foreign.id, kept.id])).toEqual([kept, part]);
    });

    test('lists flows in pages', async () => {
      const user = await makeUser(open().database);
      for (const flowName of ['a', 'b', 'c']) await flows().create(user.id, { name: flowName, document: {} });
      const names = async (page: { limit?: number; offset?: number }) =>
        (await flows().list(user.id, page)).map((flow) => flow.name);
      expect(await names({})).toEqual(['a', 'b', 'c']);
      expect(await names({ limit: 2 })).toEqual(['a', 'b']);
      expect(await names({ limit: 2, offset: 2 })).toEqual(['c']);
    });
  });
}
