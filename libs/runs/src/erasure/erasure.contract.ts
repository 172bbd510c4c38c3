import type { FlowRecord } from '../flows/flow-record';
import { FlowStore } from '../flows/flow-store';
import { MessageStore } from '../messages/message-store';
import { RunStore } from '../runs/run-store';
import { ErasureStore } from './erasure-store';
import type { TestDatabase } from '../testing/open-test-database';
import { interactiveRun, makeFlow, messageRow, newRun } from '../testing/test-parts';

/** Contract of erasing sessions, on any database. */
export function describeErasure(name: string, open: () => TestDatabase): void {
  describe(`erasure (${name})`, () => {
    const runs = () => new RunStore({ database: open().database });
    const parts = () => {
      const { database } = open();
      const messages = new MessageStore({ database });
      return { messages, erasure: new ErasureStore({ database, messages }) };
    };
    /** Records runs of a session that have ended, each with a message. */
    const record = async (flow: FlowRecord, sessionId: string, count = 1) => {
      const recorded = Array.from({ length: count }, () => {
        const run = interactiveRun(flow, { sessionId });
        return { ...run, messages: [messageRow(flow, { sessionId, runId: run.id })] };
      });
      await runs().record(recorded);
      return recorded.map(({ id }) => id);
    };

    test('a session loses its messages and ended runs in every flow of the user, and nothing else is lost', async () => {
      const flow = await makeFlow(open().database);
      const { messages, erasure } = parts();
      const second = await new FlowStore({ database: open().database }).create(flow.userId, {
        name: 'second',
        document: { nodes: [], edges: [] },
      });
      const stranger = await makeFlow(open().database);
      const erased = [...(await record(flow, 'erased', 3)), ...(await record(second, 'erased'))];
      const kept = [...(await record(flow, 'erased too')), ...(await record(flow, flow.id))];
      const [foreign = ''] = await record(stranger, 'erased');
      const changed: string[] = [];
      messages.onChanged(async (keys) => void changed.push(...keys.map(({ sessionId }) => sessionId)));
      expect(await erasure.eraseSession(flow.userId, 'erased', 1_000)).toEqual({
        messages: 4,
        runs: 4,
        runsInProgress: 0,
        hasMore: false,
      });
      expect(changed).toEqual(['erased', 'erased']);
      for (const id of erased) expect(await runs().find(flow.userId, id)).toBeNull();
      for (const id of kept) expect(await runs().find(flow.userId, id)).not.toBeNull();
      expect(await runs().find(stranger.userId, foreign)).not.toBeNull();
      expect(await messages.list({ userId: stranger.userId })).toHaveLength(1);
      expect(await erasure.eraseSession(flow.userId, flow.id, 1_000)).toMatchObject({ messages: 1, runs: 1 });
    });

    test('runs in progress stay and are counted, and a limit leaves ended runs for a further call', async () => {
      const flow = await makeFlow(open().database);
      const { erasure } = parts();
      await runs().accept([newRun(flow, { sessionId: 'busy' })]);
      await record(flow, 'busy', 600);
      const first = await erasure.eraseSession(flow.userId, 'busy', 500);
      expect(first).toMatchObject({ runs: 500, runsInProgress: 1, hasMore: true });
      const rest = await erasure.eraseSession(flow.userId, 'busy', 500);
      expect(rest).toMatchObject({ runs: 100, runsInProgress: 1, hasMore: false });
      await new FlowStore({ database: open().database }).delete(flow.userId, flow.id);
    });

    test('a suspended run is in progress; once cancelled it is erased with its results and questions', async () => {
      const flow = await makeFlow(open().database);
      const { erasure } = parts();
      const run = newRun(flow, { sessionId: 'waiting' });
      await runs().accept([run]);
      await runs().claim([{ runId: run.id, worker: 'worker', redelivered: false }]);
      const request = {
        request_id: 'r',
        kind: 'node_input' as const,
        prompt: 'ship it?',
        options: [],
        allowed_decisions: ['approve'],
        timeout_seconds: 0,
        fallback_action: null,
      };
      await runs().suspend({ runId: run.id, attempt: 1, results: '{}', requests: [request], messages: [] });
      const erase = () => erasure.eraseSession(flow.userId, 'waiting', 10);
      expect(await erase()).toMatchObject({ runs: 0, runsInProgress: 1 });
      expect(await runs().humanRequests(flow.userId, run.id)).toHaveLength(1);
      await runs().requestCancel(flow.userId, run.id);
      expect(await erase()).toMatchObject({ runs: 1, runsInProgress: 0, hasMore: false });
      const { rows } = await open().database.query({
        text: `SELECT run_id FROM run_checkpoints WHERE run_id = $1 UNION ALL SELECT run_id FROM human_requests WHERE run_id = $1`,
        values: [run.id],
      });
      expect(rows).toEqual([]);
    });

    test('reports of an erased run are deleted with it', async () => {
      const flow = await makeFlow(open().database);
      const [run = ''] = await record(flow, 'reported');
      const { database } = open();
      await database.query({
        text: `INSERT INTO callback_deliveries (id, run_id, flow_id, user_id, kind, url, target, secrets, has_result, expires_at)
          VALUES (gen_random_uuid(), $1, $2, $3, 'finished', 'http://a.example', 'a', '[]', true, now())`,
        values: [run, flow.id, flow.userId],
      });
      await parts().erasure.eraseSession(flow.userId, 'reported', 10);
      const { rows } = await database.query({
        text: 'SELECT FROM callback_deliveries WHERE run_id = $1',
        values: [run],
      });
      expect(rows).toEqual([]);
    });

    test('sessions are found by the beginning of their ids, taken literally', async () => {
      const flow = await makeFlow(open().database);
      for (const session of ['ann::1', 'ann::2', 'ann', 'anna::1', 'a_n::1', 'ANN::1'])
        await record(flow, session);
      const { erasure } = parts();
      expect(await erasure.sessionsWithPrefix(flow.userId, 'ann::', 10)).toEqual(['ann::1', 'ann::2']);
      expect(await erasure.sessionsWithPrefix(flow.userId, 'ann::', 1)).toEqual(['ann::1']);
      expect(await erasure.sessionsWithPrefix(flow.userId, 'a_n::', 10)).toEqual(['a_n::1']);
      expect(await erasure.sessionsWithPrefix((await makeFlow(open().database)).userId, 'ann::', 10)).toEqual(
        [],
      );
    });
  });
}
