import { Readable } from 'node:stream';
import { FileStore } from '../files/file-store';
import type { FlowRecord } from '../flows/flow-record';
import { FlowStore } from '../flows/flow-store';
import { MessageStore } from '../messages/message-store';
import type { SessionKey } from '../messages/message-store';
import { RunStore } from '../runs/run-store';
import type { TestDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, messageRow } from '../testing/test-parts';
import { TraceStore } from '../traces/trace-store';
import { RetentionStore } from './retention-store';
import type { RetentionDays } from './retention-store';

/** Contract for the deletion of messages, vertex records and files by age, on any database. */
export function describeRetention(name: string, open: () => TestDatabase): void {
  describe(`retention (${name})`, () => {
    const day = 24 * 60 * 60 * 1000;
    const daysAgo = (days: number) => new Date(Date.now() - days * day);
    const flowWith = async (retention?: Record<string, unknown>) => {
      const flow = await makeFlow(open().database);
      if (retention !== undefined)
        await open().database.query({
          text: 'UPDATE flows SET settings = $2 WHERE id = $1',
          values: [flow.id, JSON.stringify({ retention })],
        });
      return flow;
    };
    const record = (flow: FlowRecord, ages: readonly number[]) =>
      new RunStore({ database: open().database }).record(
        ages.map((age) =>
          interactiveRun(flow, {
            finishedAt: daysAgo(age),
            trace: JSON.stringify({ version: 1, vertices: [] }),
            messages: [messageRow(flow, { timestamp: daysAgo(age), sessionId: `${age} days` })],
          }),
        ),
      );
    const sessionsOf = async ({ userId, id }: FlowRecord) =>
      (await new MessageStore({ database: open().database }).sessions({ userId, flowId: id })).sort();
    /** Goes through each table from its beginning to its end. */
    const pass = async (days: RetentionDays) => {
      const messages = new MessageStore({ database: open().database });
      const changed: SessionKey[] = [];
      messages.onChanged(async (sessions) => void changed.push(...sessions));
      const store = new RetentionStore({ database: open().database, messages });
      await open().database.query({ text: 'UPDATE retention_passes SET next_block = 0, due_at = now()' });
      const deleted = { messages: 0, vertexRecords: 0, files: 0 };
      for (let step = await store.prune(days); step !== null; step = await store.prune(days))
        deleted[step.kind] += step.deleted;
      return { deleted, changed };
    };

    test('deletes messages after the days of the installation, and says which sessions lost some', async () => {
      const flow = await flowWith();
      await record(flow, [41, 39]);
      const { changed } = await pass({ messages: 40 });
      expect(await sessionsOf(flow)).toEqual(['39 days']);
      expect(changed).toContainEqual({ userId: flow.userId, flowId: flow.id, sessionId: '41 days' });
      expect(changed.map(({ sessionId }) => sessionId)).not.toContain('39 days');
    });

    test('deletes messages after the days of their flow, which are more or fewer than those of the installation', async () => {
      const [longer, shorter] = [await flowWith({ messages: 90 }), await flowWith({ messages: 20 })];
      for (const flow of [longer, shorter]) await record(flow, [91, 89, 21, 19]);
      await pass({ messages: 40 });
      expect(await sessionsOf(longer)).toEqual(['19 days', '21 days', '89 days']);
      expect(await sessionsOf(shorter)).toEqual(['19 days']);
    });

    test('keeps messages indefinitely where nothing else is set; a retention that is no number is none', async () => {
      const flows = [await flowWith(), await flowWith({ runs: 4 }), await flowWith({ messages: 'soon' })];
      for (const flow of flows) await record(flow, [4_000]);
      expect((await pass({})).deleted.messages).toBe(0);
      expect((await pass({ vertexRecords: 10 })).deleted.messages).toBe(0);
      for (const flow of flows) expect(await sessionsOf(flow)).toEqual(['4000 days']);
      await pass({ messages: 3_999 });
    });

    test('deletes more rows of a few blocks than one statement deletes', async () => {
      const flow = await flowWith({ messages: 10 });
      await record(
        flow,
        Array.from({ length: 1_200 }, () => 11),
      );
      expect((await pass({})).deleted.messages).toBe(1_200);
      expect(await sessionsOf(flow)).toEqual([]);
    });

    test('deletes vertex records before their run', async () => {
      const [flow, other] = [await flowWith({ vertexRecords: 3 }), await flowWith()];
      await record(flow, [4, 2]);
      await record(other, [4]);
      await pass({});
      const traces = new TraceStore({ database: open().database });
      const count = ({ userId, id }: FlowRecord) => traces.count(userId, { flowId: id });
      expect([await count(flow), await count(other)]).toEqual([1, 1]);
      const { rowCount } = await open().database.query({
        text: 'SELECT FROM runs WHERE flow_id = $1',
        values: [flow.id],
      });
      expect(rowCount).toBe(2);
    });

    test('deletes files of a flow and of a user; keeps what is incomplete or awaits a run', async () => {
      const flow = await flowWith({ files: 5 });
      const { userId } = flow;
      const files = new FileStore({ database: open().database });
      const receive = async (fileName: string, flowId: string | null, age: number, awaitsRun?: string) => {
        const file = { userId, flowId, name: fileName, extension: '', ...(awaitsRun && { awaitsRun }) };
        const stored = await files.receive(file, Readable.from([Buffer.from('x')]));
        await open().database.query({
          text: 'UPDATE files SET created_at = $2 WHERE id = $1',
          values: [stored?.id, daysAgo(age)],
        });
      };
      await receive('old of flow', flow.id, 6);
      await receive('young of flow', flow.id, 4);
      await receive('old of user', null, 21);
      await receive('young of user', null, 6);
      await receive('awaits', null, 21, flow.id);
      for (let number = 1; number <= 9; number += 1) await receive(`old ${number}`, null, 30);
      await pass({ files: 20 });
      const names = async (flowId: string | null) =>
        (await files.list(userId, flowId)).map(({ name: fileName }) => fileName).sort();
      expect(await names(flow.id)).toEqual(['young of flow']);
      expect(await names(null)).toEqual(['awaits', 'young of user']);
      await files.deleteAll(userId);
    });

    test('a pass goes on where another process left it, and the next one begins hours later', async () => {
      const flow = await flowWith({ messages: 10 });
      await record(
        flow,
        Array.from({ length: 700 }, () => 11),
      );
      await open().database.query({ text: 'UPDATE retention_passes SET next_block = 0, due_at = now()' });
      let deleted = 0;
      for (let step = 1; step <= 100; step += 1) {
        const messages = new MessageStore({ database: open().database });
        const pruned = await new RetentionStore({ database: open().database, messages }).prune({});
        if (pruned === null) break;
        if (pruned.kind === 'messages') deleted += pruned.deleted;
      }
      expect(deleted).toBe(700);
      const { rows } = await open().database.query<{ hours: number }>({
        text: `SELECT extract(epoch FROM due_at - now())::float8 / 3600 AS hours FROM retention_passes WHERE kind = 'messages'`,
      });
      expect(rows[0]?.hours).toBeGreaterThan(5);
    });

    test('runs are deleted after the days of their flow', async () => {
      const [flow, other] = [await flowWith({ runs: 30 }), await flowWith({ runs: 4 })];
      const store = new RunStore({ database: open().database });
      const ids = async ({ id }: FlowRecord) => {
        const { rows } = await open().database.query<{ days: number }>({
          text: `SELECT round(extract(epoch FROM now() - finished_at) / 86400)::int AS days FROM runs WHERE flow_id = $1 ORDER BY 1`,
          values: [id],
        });
        return rows.map(({ days }) => days);
      };
      for (const one of [flow, other]) {
        await record(one, [31, 29, 5, 3]);
        await open().database.query({
          text: 'UPDATE runs SET accepted_at = finished_at WHERE flow_id = $1',
          values: [one.id],
        });
      }
      await store.prune({ retentionDays: 7, keptFlowVersions: 1, limit: 500, versionLimit: 1 });
      expect(await ids(flow)).toEqual([3, 5, 29]);
      expect(await ids(other)).toEqual([3]);
      await new FlowStore({ database: open().database }).delete(flow.userId, flow.id);
    });
  });
}
