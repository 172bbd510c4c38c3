import type { HumanRequest } from '@millrace/flow';
import { recordingLogger } from '@millrace/service/testing';
import { Encryption } from '../../encryption/encryption';
import { RequestSeal } from '../../encryption/request-seal';
import { reencryptValues } from '../../encryption/reencrypt-values';
import { EndedRequests } from '../../human-requests/ended-requests';
import { questionMessage, questionMessageId } from '../../human-requests/question-message';
import { FlowStore } from '../../flows/flow-store';
import { MessageStore } from '../../messages/message-store';
import type { TestDatabase } from '../../testing/open-test-database';
import { completion, makeFlow, messageRow, newRun } from '../../testing/test-parts';
import { RunStore } from '../run-store';

const asked = (changes: Partial<HumanRequest> = {}): HumanRequest => ({
  request_id: 'HumanInput-h:run',
  kind: 'node_input',
  prompt: 'ship it?',
  options: [{ action_id: 'approve', label: 'Approve' }],
  allowed_decisions: ['approve'],
  timeout_seconds: 0,
  fallback_action: null,
  ...changes,
});
const approve = { action_id: 'approve', values: { note: 'well' } };

/** Contract for runs that wait for a person, on any database. */
export function describeSuspensions(name: string, open: () => TestDatabase): void {
  describe(`suspended runs (${name})`, () => {
    const encryption = Encryption.from(['07'.repeat(32)]);
    const store = () => new RunStore({ database: open().database, seal: new RequestSeal({ encryption }) });
    const claim = (runId: string, redelivered = false) => ({ runId, worker: 'worker', redelivered });

    /** Returns a run that its first attempt suspended. */
    async function suspended(...requests: readonly HumanRequest[]) {
      const flow = await makeFlow(open().database);
      const run = newRun(flow);
      await store().accept([run]);
      await store().claim([claim(run.id)]);
      const message = messageRow(flow, { runId: run.id });
      const isSuspended = await store().suspend({
        runId: run.id,
        attempt: 1,
        results: '{"a":1}',
        requests: requests.length > 0 ? requests : [asked()],
        messages: [message],
      });
      expect(isSuspended).toBe(true);
      return run;
    }

    const decide = (
      run: { readonly id: string; readonly userId: string },
      ...requestIds: readonly string[]
    ) => {
      const ids = requestIds.length > 0 ? requestIds : [asked().request_id];
      const decisions = new Map(ids.map((id) => [id, approve]));
      return store()
        .within(open().database)
        .decide({ userId: run.userId, runId: run.id, decisions, decidedBy: 'key' });
    };

    async function makeDue(runId: string): Promise<void> {
      await open().database.query({
        text: `UPDATE human_requests SET due_at = now() - interval '1 second' WHERE run_id = $1`,
        values: [runId],
      });
    }

    const count = async (table: string, runId: string) =>
      (await open().database.query({ text: `SELECT FROM ${table} WHERE run_id = $1`, values: [runId] }))
        .rowCount;

    test('no attempt, sweep or backlog has a suspended run; its messages can be read', async () => {
      const run = await suspended();
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'suspended', worker: null });
      const claims = await store().claim([claim(run.id, true)]);
      expect(claims.get(run.id)).toMatchObject({ outcome: 'held' });
      expect((await store().sweep({ limit: 500 })).map(({ id }) => id)).not.toContain(run.id);
      const messages = new MessageStore({ database: open().database });
      const query = { userId: run.userId, sessionId: 'session' };
      expect(await messages.list(query)).toHaveLength(1);
      const listed = await store().list({ userId: run.userId, statuses: ['suspended'] }, { limit: 10 });
      expect(listed.runs.map(({ id }) => id)).toEqual([run.id]);
    });

    test('an answer lets the run go on, with its results; the attempt before does not count', async () => {
      const run = await suspended();
      expect(await decide(run, 'another')).toBe(false);
      expect(await Promise.all([decide(run), decide(run)])).toEqual(expect.arrayContaining([true, false]));
      const released = await store().releaseBacklog({ publishedPerUser: 0, limit: 500 });
      expect(released.runs.map(({ id }) => id)).toContain(run.id);
      expect((await store().claim([claim(run.id)])).get(run.id)).toMatchObject({
        outcome: 'claimed',
        attempt: 2,
        countedAttempts: 1,
        answers: 1,
        repeatReason: 'suspended',
      });
      const { results, decisions } = await store().resumption(run.id);
      expect([results, decisions.get(asked().request_id)]).toEqual(['{"a":1}', approve]);
      const [request] = await store().humanRequests(run.userId, run.id);
      expect(request).toMatchObject({ ...asked(), decidedBy: 'key', decidedAt: expect.any(Date) });
      await store().forgetSuspensions(run.id);
      expect(await count('run_checkpoints', run.id)).toBe(1);
    });

    test('several requests are answered at once, all or none', async () => {
      const run = await suspended(...['a', 'b', 'c'].map((id) => asked({ request_id: id })));
      const answered = async () =>
        (await store().humanRequests(run.userId, run.id)).filter(({ decidedAt }) => decidedAt).length;
      expect(await decide(run, 'a', 'another')).toBe(false);
      expect(await decide({ ...run, userId: crypto.randomUUID() }, 'a')).toBe(false);
      expect([await answered(), (await store().find(run.userId, run.id))?.status]).toEqual([0, 'suspended']);
      expect(await decide(run, 'a', 'b')).toBe(true);
      expect([await answered(), (await store().find(run.userId, run.id))?.status]).toEqual([2, 'accepted']);
      expect(await decide(run, 'b', 'c')).toBe(false);
      expect([...(await store().resumption(run.id)).decisions]).toEqual([
        ['a', approve],
        ['b', approve],
      ]);
    });

    test('a run that goes on waits for the room of its flow', async () => {
      const run = await suspended();
      const flows = new FlowStore({ database: open().database });
      await flows.update(run.userId, run.flowId, { settings: { concurrency: 1 } });
      const other = { ...newRun((await flows.find(run.userId, run.flowId))!), isLimited: true };
      const limits = { publishedPerUser: 0, limit: 500 };
      const release = async () => {
        const ids = (await store().releaseBacklog(limits)).runs.map(({ id }) => id);
        return [run.id, other.id].filter((id) => ids.includes(id));
      };
      await store().admit([other], limits);
      expect(await release()).toEqual([other.id]);
      await decide(run);
      expect(await release()).toEqual([]);
      await store().claim([claim(other.id)]);
      await store().complete([completion(other.id, 1)]);
      expect(await release()).toEqual([run.id]);
      expect((await store().claim([claim(run.id)])).get(run.id)).toMatchObject({ outcome: 'claimed' });
    });

    test('what a run asks and keeps is encrypted, and is encrypted again with a new key', async () => {
      const run = await suspended();
      await decide(run);
      const read = async () =>
        JSON.stringify([
          ...(
            await open().database.query({
              text: 'SELECT * FROM run_checkpoints WHERE run_id = $1',
              values: [run.id],
            })
          ).rows,
          ...(
            await open().database.query({
              text: 'SELECT * FROM human_requests WHERE run_id = $1',
              values: [run.id],
            })
          ).rows,
        ]);
      const before = await read();
      expect(before).not.toMatch(/ship it|"a":1|well/);
      const rotated = Encryption.from(['08'.repeat(32), '07'.repeat(32)]);
      const places = ['run_checkpoints', 'human_requests', 'human_decisions'] as const;
      const counts = await reencryptValues({ database: open().database, encryption: rotated, places });
      expect(counts.every(({ unreadable, older }) => unreadable + older === 0)).toBe(true);
      const later = new RunStore({
        database: open().database,
        seal: new RequestSeal({ encryption: Encryption.from(['08'.repeat(32)]) }),
      });
      const { results, decisions } = await later.resumption(run.id);
      expect([results, decisions.get(asked().request_id)]).toEqual(['{"a":1}', approve]);
      expect(await later.humanRequests(run.userId, run.id)).toMatchObject([{ prompt: 'ship it?' }]);
    });

    test('a request whose time is over takes its fallback, or ends the run', async () => {
      const fallback = await suspended(asked({ timeout_seconds: 60, fallback_action: 'fallback' }));
      const ends = await suspended(asked({ timeout_seconds: 60 }));
      const waits = await suspended(asked({ timeout_seconds: 60 }));
      await makeDue(fallback.id);
      await makeDue(ends.id);
      const ended = await store().expireHumanRequests(500);
      expect(ended.map(({ runId }) => runId)).toEqual([ends.id]);
      expect(await store().find(fallback.userId, fallback.id)).toMatchObject({ status: 'accepted' });
      expect((await store().resumption(fallback.id)).decisions.get(asked().request_id)).toEqual({
        action_id: 'fallback',
        values: {},
      });
      expect(await store().find(ends.userId, ends.id)).toMatchObject({
        status: 'timed_out',
        failure: { code: 'not_answered' },
      });
      expect([await count('run_checkpoints', ends.id), await count('human_requests', ends.id)]).toEqual([
        0, 0,
      ]);
      expect(await store().find(waits.userId, waits.id)).toMatchObject({ status: 'suspended' });
      expect(await store().expireHumanRequests(500)).toEqual([]);
    });

    test('each end of a request is shown in its message', async () => {
      const { database } = open();
      const logger = recordingLogger();
      const messages = new MessageStore({ database });
      const ended = new EndedRequests({ database, seal: new RequestSeal({ encryption }), messages, logger });
      /** A run with two requests, the second of which stays open in some ways to end. */
      const asking = async (changes: Partial<HumanRequest> = {}) => {
        const run = newRun(await makeFlow(database));
        await store().accept([run]);
        await store().claim([claim(run.id)]);
        const requests = [asked(changes), asked({ request_id: 'other' })];
        const asker = { ...run, runId: run.id, timestamp: new Date() };
        const questions = requests.map((request) => questionMessage(request, asker));
        const attempt = { runId: run.id, attempt: 1, results: '{}', requests, messages: questions };
        expect(await store().suspend(attempt)).toBe(true);
        return run;
      };
      const shown = async ({ id, userId }: { readonly id: string; readonly userId: string }) => {
        const rows = await messages.list({ userId, runId: id });
        return [asked().request_id, 'other'].map((requestId) => {
          const row = rows.find((one) => one.id === questionMessageId(id, requestId));
          const [block] = (row?.contentBlocks ?? []) as { contents: Record<string, unknown>[] }[];
          const { submitted_action: action, superseded } = block?.contents[0] ?? {};
          return superseded === true ? 'over' : action;
        });
      };
      const answered = await asking();
      await decide(answered);
      const failed = await asking();
      await decide(failed);
      await store().claim([claim(failed.id)]);
      await store().complete([completion(failed.id, 2)]);
      await store().forgetSuspensions(failed.id);
      const fallback = await asking({ timeout_seconds: 60, fallback_action: 'fallback' });
      const late = await asking({ timeout_seconds: 60 });
      for (const { id } of [fallback, late])
        await database.query({
          text: `UPDATE human_requests SET due_at = now() - interval '1 second' WHERE run_id = $1 AND request_id <> 'other'`,
          values: [id],
        });
      await store().expireHumanRequests(500);
      const cancelled = await asking();
      await store().requestCancel(cancelled.userId, cancelled.id);
      await ended.show({ runId: answered.id, limit: 10 });
      expect(await shown(answered)).toEqual(['approve', null]);
      expect(await shown(cancelled)).toEqual([null, null]);
      await ended.show({ limit: 500 });
      expect(await Promise.all([failed, fallback, late, cancelled].map(shown))).toEqual([
        ['approve', 'over'],
        ['fallback', null],
        ['over', 'over'],
        ['over', 'over'],
      ]);
      await new FlowStore({ database }).delete(answered.userId, answered.flowId);
      await ended.show({ limit: 500 });
      expect((await database.query({ text: 'SELECT FROM ended_requests' })).rowCount).toBe(0);
      const left = logger.fieldsOf('could not add the end of a question to its message');
      expect(left).toContainEqual({ error: expect.any(Error), runId: expect.any(String) });
    });

    test('a cancelled run keeps nothing, and another user finds no request', async () => {
      const run = await suspended();
      expect(await store().humanRequests(newRun(await makeFlow(open().database)).userId, run.id)).toEqual([]);
      const page = { flowId: run.flowId, limit: 10 };
      const [waiting] = (await store().openHumanRequests(run.userId, page)).requests;
      expect((waiting?.dueAt?.getTime() ?? 0) - (waiting?.pausedAt.getTime() ?? 0)).toBe(90 * 86_400_000);
      await store().requestCancel(run.userId, run.id);
      expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'cancelled' });
      expect([await count('run_checkpoints', run.id), await count('human_requests', run.id)]).toEqual([0, 0]);
      expect(await decide(run)).toBe(false);
    });

    test.each([true, false])(
      'a run whose last attempt is lost keeps nothing (found by a claim: %p)',
      async (byClaim) => {
        const run = await suspended();
        await decide(run);
        await store().claim([claim(run.id)]);
        await open().database.query({
          text: `UPDATE runs SET maximum_attempts = 1, lease_until = now() - interval '1 second', next_sweep_at = now() WHERE id = $1`,
          values: [run.id],
        });
        if (byClaim) await store().claim([claim(run.id)]);
        else await store().sweep({ limit: 500 });
        expect(await store().find(run.userId, run.id)).toMatchObject({ status: 'dead' });
        expect(await count('run_checkpoints', run.id)).toBe(0);
      },
    );

    test('a request that no key opens is left out, and does not fail those beside it', async () => {
      const run = await suspended();
      const logger = recordingLogger();
      const other = new RunStore({
        database: open().database,
        seal: new RequestSeal({ encryption: Encryption.from(['09'.repeat(32)]), logger }),
      });
      const page = { flowId: null, limit: 10 };
      expect(await other.openHumanRequests(run.userId, page)).toEqual({ requests: [], next: null });
      expect(await other.humanRequests(run.userId, run.id)).toEqual([]);
      const unreadable = logger.fieldsOf('could not decrypt a sealed text');
      expect(unreadable).toContainEqual({ error: expect.any(Error) });
    });

    test('a run that is to be cancelled is not suspended', async () => {
      const run = newRun(await makeFlow(open().database));
      await store().accept([run]);
      await store().claim([claim(run.id)]);
      await store().requestCancel(run.userId, run.id);
      const attempt = { runId: run.id, attempt: 1, results: '{}', requests: [asked()], messages: [] };
      expect(await store().suspend(attempt)).toBe(false);
      expect(await count('human_requests', run.id)).toBe(0);
    });
  });
}
