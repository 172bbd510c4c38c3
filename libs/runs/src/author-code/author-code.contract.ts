import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { SubmittedCode } from './author-code-record';
import { AuthorCodeStore } from './author-code-store';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';

/** Contract of AuthorCodeStore, on any database. Empties its table. */
export function describeAuthorCode(name: string, open: () => TestDatabase): void {
  describe(`author code (${name})`, () => {
    const store = () => new AuthorCodeStore(open());
    const user = () => makeUser(open().database);
    const text = (code = `class C:\n    pass  # ${randomUUID()} é`): SubmittedCode => ({
      sha256: createHash('sha256').update(code).digest('hex'),
      code,
      componentType: 'Mill',
    });

    beforeEach(async () => {
      await open().database.query({ text: 'TRUNCATE author_code' });
    });

    test('a new text waits, with its type, size and user; only a decision approves it', async () => {
      const [author, admin] = [await user(), await user()];
      const code = text();
      expect(await store().submit(author.id, [code])).toBe(0);
      const [listed] = await store().list({ status: 'waiting', limit: 10 });
      expect(listed).toEqual({
        sha256: code.sha256,
        status: 'waiting',
        componentType: 'Mill',
        bytes: Buffer.byteLength(code.code),
        submittedBy: author.id,
        submittedAt: expect.any(Date),
        decidedBy: null,
        decidedAt: null,
      });
      expect(await store().statuses([code.sha256])).toEqual(new Map([[code.sha256, 'waiting']]));
      await store().decide(code.sha256, admin.id, 'approved');
      expect(await store().statuses([code.sha256, text().sha256])).toEqual(
        new Map([[code.sha256, 'approved']]),
      );
      expect(await store().list({ status: 'waiting', limit: 10 })).toEqual([]);
      expect(await store().find(code.sha256)).toMatchObject({
        ...code,
        status: 'approved',
        decidedBy: admin.id,
      });
    });

    test('a refusal and a deletion end an approval', async () => {
      const admin = await user();
      const [first, second] = [text(), text()];
      for (const { sha256 } of [first, second]) await store().decide(sha256, admin.id, 'approved');
      await store().decide(first.sha256, admin.id, 'refused');
      expect(await store().delete(second.sha256)).toBe(true);
      expect(await store().delete(second.sha256)).toBe(false);
      expect(await store().find(second.sha256)).toBeNull();
      expect(await store().statuses([first.sha256, second.sha256])).toEqual(
        new Map([[first.sha256, 'refused']]),
      );
      expect(await store().statuses([])).toEqual(new Map());
    });

    test('a decision before the first flow lacks the text until a flow contains it, and stays', async () => {
      const [author, admin] = [await user(), await user()];
      const code = text();
      expect(await store().decide(code.sha256, admin.id, 'approved')).toMatchObject({
        bytes: null,
        submittedBy: null,
      });
      expect(await store().find(code.sha256)).toMatchObject({ code: null });
      await store().submit(author.id, [code]);
      expect(await store().find(code.sha256)).toMatchObject({
        ...code,
        status: 'approved',
        submittedBy: author.id,
      });
    });

    test('a text that is submitted again keeps its first user and the decision', async () => {
      const [author, other] = [await user(), await user()];
      const code = text();
      await store().submit(author.id, [code, code]);
      await store().decide(code.sha256, author.id, 'refused');
      await store().submit(other.id, [code]);
      const all = await store().list({ status: null, limit: 10 });
      expect(all).toMatchObject([{ submittedBy: author.id, status: 'refused' }]);
      const of = (submittedBy: string) => store().list({ status: null, submittedBy, limit: 10 });
      expect(await of(author.id)).toEqual(all);
      expect(await of(other.id)).toEqual([]);
    });

    test('the newest come first, at most as many as asked for', async () => {
      const author = await user();
      const texts = [text(), text(), text()];
      for (const code of texts) {
        await store().submit(author.id, [code]);
        // The clock of an embedded database counts milliseconds.
        await pause(2);
      }
      const newest = texts.toReversed().map(({ sha256 }) => sha256);
      const listed = await store().list({ status: null, limit: 2 });
      expect(listed.map(({ sha256 }) => sha256)).toEqual(newest.slice(0, 2));
    });

    test('a user can have 1,000 waiting texts; decided ones and those of others do not count', async () => {
      const [author, other] = [await user(), await user()];
      const texts = Array.from({ length: 1_001 }, () => text());
      expect(await store().submit(author.id, texts)).toBe(1);
      const more = text();
      expect(await store().submit(author.id, [more])).toBe(1);
      expect(await store().submit(other.id, [more])).toBe(0);
      const [waiting] = await store().list({ status: 'waiting', limit: 1 });
      expect(waiting?.sha256).toBe(more.sha256);
      const [oldest] = texts.map(({ sha256 }) => sha256).toSorted();
      await store().decide(oldest ?? '', other.id, 'refused');
      expect(await store().submit(author.id, [text()])).toBe(0);
    });

    test('texts outlive the users who submitted and decided', async () => {
      const [author, admin] = [await user(), await user()];
      const code = text();
      await store().submit(author.id, [code]);
      await store().decide(code.sha256, admin.id, 'approved');
      await open().database.query({
        text: 'DELETE FROM users WHERE id = ANY($1)',
        values: [[author.id, admin.id]],
      });
      expect(await store().find(code.sha256)).toMatchObject({
        status: 'approved',
        submittedBy: null,
        decidedBy: null,
      });
    });
  });
}
