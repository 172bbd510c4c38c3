import { randomUUID } from 'node:crypto';
import type { Queryable } from '@millrace/database';
import { createLogger } from '@millrace/service';
import { auditEntryView } from './audit-line';
import { AuditLog } from './audit-log';
import { verifyExportedChain } from './verify-exported-chain';
import { verifyStoredChain } from './verify-stored-chain';
import type { AuditEntry } from './audit-entry';
import type { TestDatabase } from '../testing/open-test-database';
import { actor } from './audit.contract';

const logger = createLogger({ name: 'test', level: 'silent' });

/** Contract of the chain of the audit log, on any database. */
export function describeAuditChain(name: string, open: () => TestDatabase): void {
  describe(`chain of the audit log (${name})`, () => {
    const log = () => new AuditLog({ database: open().database, logger });
    const write = async (count: number) => {
      for (let index = 0; index < count; index += 1)
        await log().record([{ action: 'flow.updated', objectId: randomUUID(), detail: { index }, actor }]);
      return (await log().chain()).head.position;
    };
    const verify = () => verifyStoredChain(open().database);
    const exported = async () => {
      const entries: AuditEntry[] = [];
      for await (const page of log().export({})) entries.push(...page);
      return entries;
    };
    async function* linesOf(entries: readonly AuditEntry[]) {
      for (const entry of entries) yield JSON.stringify(auditEntryView(entry));
    }

    test('an untouched log is intact, stored and exported, for any text', async () => {
      const texts = ['ä€😀', 'a,b:c', '"\\/\b\f\n\r\t\u0001\u007f\u2028', '', '-'];
      await log().record(
        texts.map((text) => ({
          action: 'flow.updated' as const,
          objectId: text,
          objectName: text,
          detail: { text, list: [text], number: 1e21, none: null, flag: true },
          actor: { ...actor, requestId: text, userId: null },
        })),
      );
      const last = (await log().chain()).head;
      expect(await verify()).toMatchObject({ isIntact: true, last });
      const entries = await exported();
      expect(await verifyExportedChain(linesOf(entries))).toEqual({
        isIntact: true,
        entries: entries.length,
        last,
      });
    });

    test('entries of many concurrent writers form one chain without gaps', async () => {
      const { head: before } = await log().chain();
      const writers = Array.from({ length: 8 }, () => log());
      const objects = Array.from({ length: 200 }, () => randomUUID());
      // One change of a writer at a time: more would wait for connections, whose deadline a busy machine passes.
      await Promise.all(
        writers.map(async (writer, number) => {
          for (const [index, objectId] of objects.entries()) {
            if (index % writers.length !== number) continue;
            const changed = writer.change(actor, async (change) => {
              await change.query({ text: 'SELECT 1' });
              change.note({ action: 'flow.created', objectId });
              change.note({ action: 'flow.code_accepted', objectId });
              if (index % 10 === 9) throw new Error('rolled back');
            });
            await changed.catch((error: Error) => expect(error.message).toBe('rolled back'));
          }
        }),
      );
      const entries = (await exported()).filter(({ position }) => position > before.position);
      expect(entries.map(({ position }) => position)).toEqual(
        Array.from({ length: 360 }, (_, index) => before.position + 1 + index),
      );
      const kept = objects.filter((_, index) => index % 10 !== 9);
      expect(new Set(entries.map(({ objectId }) => objectId))).toEqual(new Set(kept));
      // The entries of one change are neighbors, in the order in which they were noted.
      const pairs = entries.filter(({ action }) => action === 'flow.created');
      for (const { position, objectId } of pairs)
        expect(entries[position - before.position]).toMatchObject({ action: 'flow.code_accepted', objectId });
      expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).sort());
      expect(await verify()).toMatchObject({ isIntact: true });
    }, 60_000);

    test('entries that are written during a verification do not count', async () => {
      let isVerifying = true;
      const writers = Array.from({ length: 4 }, async () => {
        while (isVerifying) await write(1);
      });
      const verdicts: boolean[] = [];
      while (verdicts.length < 30) verdicts.push((await verify()).isIntact);
      isVerifying = false;
      await Promise.all(writers);
      expect(verdicts).toEqual(verdicts.map(() => true));
    });

    describe('with its triggers switched off', () => {
      /** Runs statements without triggers, verifies, then rolls back. */
      const tamperedBy = async (...texts: readonly string[]) => {
        const rolledBack = new Error('rolled back');
        let verdict: Awaited<ReturnType<typeof verifyStoredChain>> | undefined;
        const work = async (connection: Queryable) => {
          for (const table of ['audit_entries', 'audit_chain'])
            await connection.query({ text: `ALTER TABLE ${table} DISABLE TRIGGER USER` });
          for (const text of texts) await connection.query({ text });
          verdict = await verifyStoredChain(joined(connection));
          throw rolledBack;
        };
        await expect(open().database.transaction(work)).rejects.toBe(rolledBack);
        return verdict;
      };
      let last: number;
      beforeAll(async () => {
        last = await write(6);
      });

      test.each([
        ['an action', `action = 'flow.created'`],
        ['a time', `at = at + interval '1 microsecond'`],
        ['an actor', `user_id = NULL`],
        ['a key', `key_id = gen_random_uuid()`],
        ['an actor’s kind', `actor_kind = 'system'`],
        ['a request id', `request_id = 'other'`],
        ['an address', `client_address = '192.0.2.2'`],
        ['a forwarded address', `forwarded_for = NULL`],
        ['an object', `object_id = 'other'`],
        ['a name', `object_name = 'other'`],
        ['a detail', `detail = '{}'`],
        ['a hash', `hash = repeat('1', 64)`],
        ['a hash before it', `previous_hash = repeat('1', 64)`],
      ])('an entry with %s changed is found', async (_what, change) => {
        const position = last - 3;
        const verdict = await tamperedBy(`UPDATE audit_entries SET ${change} WHERE position = ${position}`);
        expect(verdict).toMatchObject({ isIntact: false, position });
      });

      test('a deleted entry is found', async () => {
        expect(await tamperedBy(`DELETE FROM audit_entries WHERE position = ${last - 2}`)).toEqual({
          isIntact: false,
          position: last - 1,
          reason: `the entry at position ${last - 2} is missing before it`,
        });
      });

      test('the deletion of the first and of the last entries is found', async () => {
        const first = (await exported())[0]?.position ?? 0;
        expect(await tamperedBy(`DELETE FROM audit_entries WHERE position = ${first}`)).toMatchObject({
          isIntact: false,
          position: first + 1,
        });
        expect(await tamperedBy(`DELETE FROM audit_entries WHERE position = ${last}`)).toEqual({
          isIntact: false,
          position: last,
          reason: `the last entry must be at position ${last}`,
        });
      });

      test('an inserted entry is found', async () => {
        const shift = `UPDATE audit_entries SET position = position + 1000000 WHERE position > ${last - 2}`;
        const copy = `CREATE TEMPORARY TABLE forged ON COMMIT DROP AS SELECT * FROM audit_entries WHERE position = ${last - 2}`;
        const insert = `INSERT INTO audit_entries SELECT * FROM forged`;
        const forge = `UPDATE forged SET position = position + 1`;
        const back = `UPDATE audit_entries SET position = position - 999999 WHERE position > 1000000`;
        expect(await tamperedBy(copy, forge, shift, insert, back)).toMatchObject({
          isIntact: false,
          position: last - 1,
        });
        // After the end.
        const beyond = `UPDATE forged SET position = ${last + 1}`;
        expect(await tamperedBy(copy, beyond, insert)).toMatchObject({ isIntact: false, position: last + 1 });
      });

      test('reordered entries are found', async () => {
        const swap = [
          `UPDATE audit_entries SET position = -1 WHERE position = ${last - 3}`,
          `UPDATE audit_entries SET position = ${last - 3} WHERE position = ${last - 2}`,
          `UPDATE audit_entries SET position = ${last - 2} WHERE position = -1`,
        ];
        expect(await tamperedBy(...swap)).toMatchObject({ isIntact: false, position: last - 3 });
      });

      test('a log that was rewritten as a whole is found by a hash that was kept elsewhere', async () => {
        const entries = await exported();
        const kept = entries.at(-2) ?? { position: 0, hash: '' };
        const links = [{ position: kept.position, hash: kept.hash }];
        expect(await verifyStoredChain(open().database, links)).toMatchObject({ isIntact: true });
        const forged = [{ position: kept.position, hash: 'f'.repeat(64) }];
        expect(await verifyStoredChain(open().database, forged)).toMatchObject({
          isIntact: false,
          position: kept.position,
          reason: expect.stringContaining('the hash that was kept is ffff'),
        });
        const beyond = [{ position: last + 5, hash: 'f'.repeat(64) }];
        expect(await verifyExportedChain(linesOf(entries), beyond)).toMatchObject({
          isIntact: false,
          position: last + 5,
        });
      });
    });

    test('an export with a changed, missing or moved line is found', async () => {
      await write(5);
      const entries = await exported();
      const [first, second, third, ...others] = entries;
      if (!first || !second || !third) throw new Error('too few entries');
      const verdictOf = (changed: readonly AuditEntry[]) => verifyExportedChain(linesOf(changed));
      const broken = { isIntact: false, position: second.position };
      expect(await verdictOf([first, { ...second, action: 'key.created' }, third])).toMatchObject(broken);
      expect(await verdictOf([first, third, second])).toMatchObject({ position: third.position });
      expect(await verdictOf([first, ...others])).toMatchObject({ isIntact: false });
      expect(await verdictOf([second, third, ...others])).toMatchObject({ isIntact: true });
      await expect(verifyExportedChain(textLines('{}'))).rejects.toThrow('line 1 is not an audit entry');
    });

    test('old entries are deleted oldest first, and the rest stays verifiable', async () => {
      const last = await write(10);
      expect(await log().prune({ retentionDays: 1, limit: 100 })).toBe(0);
      const all = await exported();
      const count = all.length - 4;
      // Days that are negative make every entry old.
      const prune = (limit: number) => log().prune({ retentionDays: -1, limit });
      expect(await prune(count)).toBe(count);
      const left = await exported();
      expect(left.at(-1)?.position).toBe(last);
      const anchor = all[all.length - left.length - 1];
      expect((await log().chain()).pruned).toEqual({ position: anchor?.position, hash: anchor?.hash });
      expect(await verify()).toMatchObject({ isIntact: true, entries: left.length });
      expect(await verifyExportedChain(linesOf(left))).toMatchObject({ isIntact: true });
      await prune(100);
      expect(await exported()).toEqual([]);
      expect(await verify()).toMatchObject({ isIntact: true, entries: 0, last: { position: last } });
      expect(await write(1)).toBe(last + 1);
      expect(await verify()).toMatchObject({ isIntact: true, entries: 1, last: { position: last + 1 } });
    });
  });
}

async function* textLines(...lines: readonly string[]) {
  yield* lines;
}

/** Lets the verification run in this transaction, whose snapshot it shares. */
function joined(connection: Queryable) {
  return {
    query: <Row>(statement: Parameters<Queryable['query']>[0]) => connection.query<Row>(statement),
    transaction: <T>(work: (within: Queryable) => Promise<T>) => work(withoutSettings(connection)),
  };
}

/** A transaction that has begun keeps its isolation level. */
function withoutSettings(connection: Queryable): Queryable {
  return {
    query: async (statement) =>
      statement.text.startsWith('SET TRANSACTION') ? { rows: [], rowCount: 0 } : connection.query(statement),
  };
}
