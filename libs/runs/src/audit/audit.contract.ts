import { randomUUID } from 'node:crypto';
import type { Database } from '@millrace/database';
import { createLogger } from '@millrace/service';
import { Encryption } from '../encryption/encryption';
import { VariableStore } from '../variables/variable-store';
import { systemActor } from './audit-entry';
import type { AuditActor } from './audit-entry';
import { AuditLog } from './audit-log';
import type { TestDatabase } from '../testing/open-test-database';
import { makeUser } from '../testing/test-parts';

const lines: Record<string, unknown>[] = [];
const logger = createLogger({
  name: 'test',
  level: 'info',
  destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});
const encryption = Encryption.from(['0'.repeat(64)]);
const NEW = { value: 'v', type: 'Generic', defaultFields: [] };

/** An actor with all facts. */
export const actor: AuditActor = {
  kind: 'key',
  userId: randomUUID(),
  keyId: randomUUID(),
  requestId: 'request-1',
  clientAddress: '192.0.2.1',
  forwardedFor: '2001:db8::1',
};

/** Contract of AuditLog, on any database. */
export function describeAudit(name: string, open: () => TestDatabase): void {
  describe(`audit log (${name})`, () => {
    const log = (database: Database = open().database) => new AuditLog({ database, logger });
    const variables = () => new VariableStore({ database: open().database, encryption });
    const entriesOf = (objectId: string) => log().list({ objectId, limit: 10 });

    test('a change is stored with its entry, which says who, what, when and from where', async () => {
      const user = await makeUser(open().database);
      const before = await log().chain();
      const made = await log().change(actor, async (change) => {
        const created = await variables()
          .within(change)
          .create(user.id, { ...NEW, name: 'A' });
        change.note({
          action: 'variable.created',
          objectId: created.id,
          objectName: 'A',
          detail: { type: 'Generic', list: ['b', 'a'], absent: null },
        });
        return created;
      });
      const [entry] = await entriesOf(made.id);
      expect(entry).toEqual({
        ...actor,
        // No user and no key has the ids of this actor.
        username: null,
        keyName: null,
        position: before.head.position + 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        action: 'variable.created',
        objectId: made.id,
        objectName: 'A',
        detail: '{"absent":null,"list":["b","a"],"type":"Generic"}',
        previousHash: before.head.hash,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      const { rows } = await open().database.query<{ seconds: number }>({
        text: `SELECT abs(extract(epoch FROM now() - $1::timestamptz))::int AS seconds`,
        values: [entry?.at],
      });
      expect(rows[0]?.seconds).toBeLessThan(60);
      expect(await log().chain()).toMatchObject({ head: { position: entry?.position, hash: entry?.hash } });
      expect(lines.at(-1)).toMatchObject({
        msg: 'audit entry stored',
        position: entry?.position,
        hash: entry?.hash,
        requestId: 'request-1',
        action: 'variable.created',
      });
    });

    test('a change that fails leaves no entry, and an entry that fails leaves no change', async () => {
      const user = await makeUser(open().database);
      const before = await log().chain();
      const create = (actorOfChange: AuditActor) =>
        log().change(actorOfChange, async (change) => {
          change.note({ action: 'variable.created', objectId: 'first' });
          await variables()
            .within(change)
            .create(user.id, { ...NEW, name: 'ONCE' });
        });
      await create(actor);
      await expect(create(actor)).rejects.toMatchObject({ code: 'duplicate' });
      await variables().delete(user.id, (await variables().list(user.id))[0]?.id ?? '');
      await expect(create({ ...actor, userId: 'not a UUID' })).rejects.toThrow();
      expect(await variables().list(user.id)).toEqual([]);
      expect((await log().chain()).head.position).toBe(before.head.position + 1);
    });

    test('what must follow a commit follows no rollback', async () => {
      const done: string[] = [];
      await log().change(actor, async (change) => change.afterCommit(() => done.push('committed')));
      const failed = log().change(actor, async (change) => {
        change.afterCommit(() => done.push('rolled back'));
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(done).toEqual(['committed']);
    });

    test('texts that a database cannot store are stored without what it refuses, and long ones are cut', async () => {
      const id = `half \ud800 zero \u0000 ${randomUUID()}`;
      const stored = id.replace('\ud800', '\ufffd').replace('\u0000', '\ufffd');
      const facts = Array.from({ length: 60 }, (_, index) => `fact ${index}`);
      await log().record([
        { action: 'flow.updated', objectId: id, objectName: 'x'.repeat(5_000), detail: { facts }, actor },
      ]);
      const [entry] = await entriesOf(stored);
      expect(entry?.objectName).toBe(`${'x'.repeat(200)}…`);
      const detail = JSON.parse(entry?.detail ?? '') as { facts: string[] };
      expect(detail.facts).toHaveLength(51);
      expect(detail.facts.at(-1)).toBe('and 10 more');
    });

    test('entries are found by actor, key, action, object and time, page by page', async () => {
      const one: AuditActor = { ...actor, userId: randomUUID(), keyId: randomUUID() };
      const objects = ['a', 'b', 'c'].map((letter) => `${letter}-${randomUUID()}`);
      await log().record(
        objects.map((objectId) => ({ action: 'file.deleted' as const, objectId, actor: one })),
      );
      await log().record([{ action: 'user.created', objectId: objects[0] ?? '', actor: systemActor }]);
      const userId = one.userId ?? '';
      const found = async (filter: object) =>
        (await log().list({ limit: 10, ...filter })).map(({ objectId }) => objectId);
      const newestFirst = [...objects].reverse();
      expect(await found({ userId })).toEqual(newestFirst);
      expect(await found({ keyId: one.keyId })).toEqual(newestFirst);
      expect(await found({ userId, actions: ['user.created'] })).toEqual([]);
      expect(await found({ actions: ['file.deleted'], objectId: objects[0] })).toEqual([objects[0]]);
      const [last, , first] = await log().list({ userId, limit: 10 });
      expect(await found({ userId, before: last?.position, limit: 1 })).toEqual([objects[1]]);
      const [from, to] = [new Date(first?.at ?? 0), new Date(Date.now() + 3_600_000)];
      expect(await found({ userId, from, to })).toEqual(newestFirst);
      expect(await found({ userId, to: from })).toEqual([]);
      expect(await found({ userId, from: to })).toEqual([]);
      const exported = [];
      for await (const page of log().export({ userId })) exported.push(...page);
      expect(exported.map(({ objectId }) => objectId)).toEqual(objects);
    });

    test('an entry cannot be changed or deleted, nor its chain', async () => {
      await log().record([{ action: 'flow.deleted', objectId: randomUUID(), actor }]);
      const refused = [
        `UPDATE audit_entries SET action = 'flow.created'`,
        `DELETE FROM audit_entries`,
        `DELETE FROM audit_entries WHERE position = (SELECT max(position) FROM audit_entries)`,
        `TRUNCATE audit_entries`,
        `UPDATE audit_chain SET head_hash = 'x'`,
        `UPDATE audit_chain SET pruned_position = head_position, pruned_hash = 'x'`,
        `DELETE FROM audit_chain`,
        `TRUNCATE audit_chain`,
      ];
      const before = await log().chain();
      for (const text of refused)
        await expect(open().database.query({ text })).rejects.toThrow('the audit log is append-only');
      expect(await log().chain()).toEqual(before);
    });
  });
}
