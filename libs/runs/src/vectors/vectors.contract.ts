import { randomUUID } from 'node:crypto';
import type { VectorRecord } from './vector-record';
import { DuplicateError } from '../duplicate-error';
import { KnowledgeBaseStore } from './knowledge-base-store';
import { VectorStore } from './vector-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeFlow, makeUser, newRun } from '../testing/test-parts';
import { RunStore } from '../runs/run-store';
import { vectorLimits } from './vector-limits';

const record = (
  id: string,
  vector: readonly number[],
  changes: Partial<VectorRecord> = {},
): VectorRecord => ({
  id,
  text: `text of ${id}`,
  metadata: '{}',
  vector: Float32Array.from(vector),
  ...changes,
});

/** Contract of VectorStore, on any database. */
export function describeVectors(name: string, open: () => TestDatabase): void {
  describe(`vectors (${name})`, () => {
    const vectors = () => new VectorStore({ database: open().database });
    const user = async () => (await makeUser(open().database)).id;
    const search = async (
      owner: string,
      vector: readonly number[],
      { limit = 10, where = '{}', collection = 'c' } = {},
    ) =>
      vectors().search(owner, collection, {
        vector: Float32Array.from(vector),
        limit,
        where,
        signal: new AbortController().signal,
      });

    test('the nearest records come first, with their cosine similarity', async () => {
      const owner = await user();
      await vectors().write(owner, 'c', [record('a', [1, 0]), record('b', [0, 2]), record('c', [3, 3])]);
      const found = await search(owner, [0, 5], { limit: 2 });
      expect(found.map((match) => match.record.id)).toEqual(['b', 'c']);
      expect(found[0]?.similarity).toBeCloseTo(1);
      expect(found[1]?.similarity).toBeCloseTo(Math.SQRT1_2);
      expect(await search(owner, [-1, 0], { limit: 3 }).then((all) => all.at(-1)?.similarity)).toBeCloseTo(
        -1,
      );
    });

    test('records of more than one batch are all compared', async () => {
      const owner = await user();
      const many = Array.from({ length: 403 }, (_, index) => record(`r${index}`, [index, 1000]));
      await vectors().write(owner, 'c', many);
      const found = await search(owner, [1, 0], { limit: 3 });
      expect(found.map((match) => match.record.id)).toEqual(['r402', 'r401', 'r400']);
    });

    test('returns text, metadata and vector as they were written', async () => {
      const owner = await user();
      const metadata = '{"z": 1.0, "a": {"n": null, "deep": [1, "é"]}}';
      await vectors().write(owner, 'c', [record('a', [0.5, -2], { text: 'über\n"x"', metadata })]);
      expect(await vectors().list(owner, 'c', 5)).toEqual([
        record('a', [0.5, -2], { text: 'über\n"x"', metadata }),
      ]);
    });

    test('finds only records whose metadata match exactly', async () => {
      const owner = await user();
      await vectors().write(owner, 'c', [
        record('a', [1, 0], { metadata: '{"lang": "en", "page": 1, "tags": ["x", "y"]}' }),
        record('b', [1, 1], { metadata: '{"lang": "en", "page": 2}' }),
        record('c', [0, 1], { metadata: '{"lang": null}' }),
      ]);
      const ids = async (where: unknown) =>
        (await search(owner, [1, 0], { where: JSON.stringify(where) })).map((match) => match.record.id);
      expect(await ids({ lang: 'en' })).toEqual(['a', 'b']);
      expect(await ids({ lang: 'en', page: 2 })).toEqual(['b']);
      expect(await ids({ page: '2' })).toEqual([]);
      expect(await ids({ tags: ['x'] })).toEqual([]);
      expect(await ids({ tags: ['x', 'y'] })).toEqual(['a']);
      expect(await ids({ lang: null })).toEqual(['c']);
    });

    test('a record replaces the one with the same id', async () => {
      const owner = await user();
      await vectors().write(owner, 'c', [record('a', [1, 0]), record('b', [1, 0])]);
      await vectors().write(owner, 'c', [record('a', [0, 1]), record('a', [0, 1], { text: 'newer' })]);
      expect((await vectors().list(owner, 'c', 10)).map(({ id, text }) => [id, text])).toEqual([
        ['a', 'newer'],
        ['b', 'text of b'],
      ]);
    });

    test('a collection has one number of dimensions', async () => {
      const owner = await user();
      await vectors().write(owner, 'c', [record('a', [1, 0])]);
      await expect(vectors().write(owner, 'c', [record('b', [1, 0, 0])])).rejects.toThrow(
        'The collection "c" holds vectors of 2 dimensions; one of 3 does not fit.',
      );
      await expect(search(owner, [1, 0, 0])).rejects.toMatchObject({ code: 'vector_bound' });
      await expect(
        vectors().write(owner, 'new', [record('a', [1]), record('b', [1, 2])]),
      ).rejects.toMatchObject({ code: 'vector_bound' });
      expect(await vectors().list(owner, 'new', 10)).toEqual([]);
    });

    test('a write beyond a limit is refused and stores nothing', async () => {
      const owner = await user();
      const refuse = async (changed: Partial<VectorRecord>, text: string) =>
        expect(vectors().write(owner, 'c', [record('fine', [1]), record('x', [1], changed)])).rejects.toThrow(
          text,
        );
      await refuse(
        { vector: new Float32Array(4097) },
        'A vector can have at most 4096 dimensions, not 4097.',
      );
      await refuse({ metadata: JSON.stringify({ a: 'x'.repeat(70_000) }) }, 'metadata of a document');
      await refuse(
        { text: 'x'.repeat(200_001) },
        'The text of a document can have at most 200000 characters',
      );
      await refuse({ id: 'x'.repeat(501) }, 'The id of a document');
      await refuse({ id: 'a\u0000b' }, 'cannot be stored');
      expect(await vectors().list(owner, 'c', 10)).toEqual([]);
    });

    test('limits the number of records in a collection', async () => {
      const owner = await user();
      const vector = Float32Array.of(1);
      const records = Array.from({ length: vectorLimits.documents }, (_, index) =>
        record(String(index), [], { vector }),
      );
      await vectors().write(owner, 'c', records);
      await vectors().write(owner, 'c', [record('7', [], { vector })]);
      await expect(vectors().write(owner, 'c', [record('more', [], { vector })])).rejects.toThrow(
        'A vector collection can contain at most 20000 documents.',
      );
      expect(await vectors().deleteCollection(owner, 'c')).toBe(20_000);
    }, 60_000);

    test('limits the number of collections of a user', async () => {
      const owner = await user();
      for (let index = 0; index < vectorLimits.collections; index += 1) {
        await vectors().write(owner, `c${index}`, [record('a', [1])]);
      }
      await expect(vectors().write(owner, 'more', [record('a', [1])])).rejects.toThrow(
        '100 vector collections',
      );
      await vectors().write(owner, 'c7', [record('b', [1])]);
    }, 60_000);

    test('a knowledge base has the dimensions of its first vectors, and the model that its user chose', async () => {
      const owner = await user();
      const bases = new KnowledgeBaseStore({ database: open().database });
      const id = await bases.create(owner, 'mine', { provider: 'OpenAI', model: 'm', columns: [] });
      const collection = 'knowledge:mine';
      expect(await vectors().model(owner, collection)).toEqual({ provider: 'OpenAI', model: 'm' });
      expect(await search(owner, [1, 0], { collection })).toEqual([]);
      expect(await bases.find(owner, 'mine')).toMatchObject({ id, chunks: 0, words: 0, bytes: 0 });
      await vectors().write(owner, collection, [record('a', [1, 0], { text: ' two  words ' })]);
      await expect(vectors().write(owner, collection, [record('b', [1])])).rejects.toThrow('2 dimensions');
      expect(await bases.list(owner)).toMatchObject([{ name: 'mine', chunks: 1, words: 2, characters: 12 }]);
      expect(await bases.list((await makeUser(open().database)).id)).toEqual([]);
      await expect(
        bases.create(owner, 'mine', { provider: 'OpenAI', model: 'm', columns: [] }),
      ).rejects.toThrow(DuplicateError);
      expect(await bases.delete(owner, 'mine')).toBe(id);
      expect(await bases.delete(owner, 'mine')).toBeNull();
      expect(await vectors().model(owner, collection)).toBeNull();
    });

    test('the runs that fill a base are those of its user', async () => {
      const { database } = open();
      const bases = new KnowledgeBaseStore({ database });
      const flow = await makeFlow(database);
      const run = newRun(flow, { sessionId: 'knowledge:mine' });
      await new RunStore({ database }).accept([run]);
      const page = { name: 'mine', offset: 0, limit: 10 };
      expect(await bases.runs(flow.userId, flow.id, page)).toEqual({ ids: [run.id], total: 1 });
      expect(await bases.runs(await user(), flow.id, page)).toEqual({ ids: [], total: 0 });
    });

    test('the texts of a knowledge base come in their order, from pages and from all of them', async () => {
      const owner = await user();
      const bases = new KnowledgeBaseStore({ database: open().database });
      const ids = Array.from({ length: 405 }, (_, index) => `r${index}`);
      await vectors().write(
        owner,
        'knowledge:long',
        ids.map((id) => record(id, [1])),
      );
      const base = await bases.find(owner, 'long');
      if (base === null) throw new Error('the base is missing');
      expect(base.settings).toBeNull();
      const page = await bases.page(base, { offset: 3, limit: 2 });
      expect(page.map(({ id }) => id)).toEqual(['r3', 'r4']);
      const all: string[] = [];
      for await (const batch of bases.chunks(base)) all.push(...batch.map(({ id }) => id));
      expect(all).toEqual(ids);
    });

    test("no other user reads or deletes a user's vectors, and deleting the user deletes them", async () => {
      const [owner, other] = [await user(), await user()];
      await vectors().write(owner, 'c', [record('a', [1, 0])]);
      expect(await search(other, [1, 0])).toEqual([]);
      expect(await vectors().list(other, 'c', 10)).toEqual([]);
      expect(await vectors().deleteCollection(other, 'c')).toBe(0);
      expect(await search(owner, [1, 0])).toHaveLength(1);
      await open().database.query({ text: 'DELETE FROM users WHERE id = $1', values: [owner] });
      expect(await vectors().list(owner, 'c', 10)).toEqual([]);
    });

    test('concurrent writers of one new collection lose no record', async () => {
      const owner = await user();
      const ids = Array.from({ length: 6 }, () => randomUUID());
      await Promise.all(ids.map((id) => vectors().write(owner, 'c', [record(id, [1, 0])])));
      expect((await vectors().list(owner, 'c', 10)).map(({ id }) => id).sort()).toEqual(ids.sort());
    });

    test('a search stops when its run is aborted', async () => {
      const owner = await user();
      await vectors().write(owner, 'c', [record('a', [1])]);
      const signal = AbortSignal.abort(new Error('the run is over'));
      await expect(
        vectors().search(owner, 'c', { vector: Float32Array.of(1), limit: 1, where: '{}', signal }),
      ).rejects.toThrow('the run is over');
    });
  });
}
