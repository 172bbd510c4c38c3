import type { FlowRecord } from '../flows/flow-record';
import { FlowStore } from '../flows/flow-store';
import type { RunUsage } from '../run-record/run-usage';
import type { InteractiveRun } from '../runs/attempts/run-completion';
import { RunStore } from '../runs/run-store';
import type { RunTrace } from './run-trace';
import { TraceStore } from './trace-store';
import type { TestDatabase } from '../testing/open-test-database';
import { completion, interactiveRun, makeFlow, makeUser, newRun } from '../testing/test-parts';

const usage: RunUsage = {
  calls: 1,
  inputTokens: 10,
  outputTokens: 2,
  cost: null,
  unpricedCalls: 1,
  models: [],
};

function traceOf(changes: Partial<RunTrace> = {}): RunTrace {
  const trace = {
    version: 1,
    attempt: 1,
    reason: 'failed',
    startedAt: 5,
    milliseconds: 7,
    vertices: [],
  } as const;
  return { ...trace, omitted: 0, ...changes };
}

/** Contract for the traces of runs and what runs used, on any database. */
export function describeTraces(name: string, open: () => TestDatabase): void {
  describe(`traces of runs (${name})`, () => {
    const runs = () => new RunStore({ database: open().database });
    const traces = () => new TraceStore({ database: open().database });
    const text = JSON.stringify;
    const record = async (flow: FlowRecord, changes: Partial<InteractiveRun> = {}) => {
      const run = interactiveRun(flow, { trace: text(traceOf()), ...changes });
      await runs().record([run]);
      return run;
    };

    test('the end of an interactive run stores its trace and what it used, or neither', async () => {
      const flow = await makeFlow(open().database);
      const trace = traceOf({ vertices: [], attempt: 3 });
      const [traced, plain] = [interactiveRun(flow), interactiveRun(flow)];
      await runs().record([{ ...traced, trace: text(trace), usage: text(usage) }, plain]);
      expect(await traces().find(flow.userId, traced.id)).toMatchObject({
        runId: traced.id,
        flowId: flow.id,
        flowName: 'flow',
        sessionId: 'session',
        status: 'succeeded',
        trace,
      });
      expect((await runs().find(flow.userId, traced.id))?.usage).toEqual(usage);
      expect(await traces().find(flow.userId, plain.id)).toBeNull();
      expect((await runs().find(flow.userId, plain.id))?.usage).toBeNull();
    });

    test('the end of a claimed run stores its trace; an attempt that lost its claim stores none', async () => {
      const run = newRun(await makeFlow(open().database));
      await runs().accept([run]);
      await runs().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      const end = { status: 'failed' as const, result: null };
      const late = completion(run.id, 7, { ...end, trace: text(traceOf({ attempt: 7 })) });
      expect(await runs().complete([late])).toEqual(new Set());
      expect(await traces().find(run.userId, run.id)).toBeNull();
      const good = completion(run.id, 1, { ...end, trace: text(traceOf()), usage: text(usage) });
      expect(await runs().complete([good])).toEqual(new Set([run.id]));
      expect((await traces().find(run.userId, run.id))?.trace.attempt).toBe(1);
    });

    test('a retried attempt leaves its trace and what it used, which the next claim returns', async () => {
      const run = newRun(await makeFlow(open().database));
      await runs().accept([run]);
      const claim = async () =>
        [...(await runs().claim([{ runId: run.id, worker: 'one', redelivered: false }])).values()][0];
      expect(await claim()).toMatchObject({ usage: null });
      const failure = { code: 'component_failed', message: 'no', vertex: null, problems: [] };
      const failed = { runId: run.id, attempt: 1, failure, pauseMilliseconds: 0 };
      expect(await runs().retry({ ...failed, trace: text(traceOf()), usage: text(usage) })).toBe(true);
      expect((await traces().find(run.userId, run.id))?.status).toBe('accepted');
      expect(await claim()).toMatchObject({ attempt: 2, usage: text(usage) });
      await runs().complete([completion(run.id, 2)]);
      expect((await traces().find(run.userId, run.id))?.trace.attempt).toBe(1);
      expect((await runs().find(run.userId, run.id))?.usage).toEqual(usage);
    });

    test('a claim returns what the flow keeps of its runs', async () => {
      const flow = await makeFlow(open().database);
      const records = { sampleRate: 0.5, values: 'all' } as const;
      await new FlowStore({ database: open().database }).update(flow.userId, flow.id, {
        settings: { records },
      });
      const run = newRun(flow);
      await runs().accept([run]);
      const claims = await runs().claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      expect(claims.get(run.id)).toMatchObject({ outcome: 'claimed', recordSettings: records });
    });

    test('lists the newest first, by flow, session, status, time and text, and counts them', async () => {
      const flow = await makeFlow(open().database);
      const other = await new FlowStore({ database: open().database }).create(flow.userId, {
        name: 'Greetings',
        document: {},
      });
      const first = await record(flow, { acceptedAt: new Date('2026-01-01T00:00:00Z') });
      const second = await record(flow, { status: 'failed', result: null, sessionId: 'Evening' });
      const third = await record(other);
      const listed = async (...[filter, page]: [object, { limit: number; offset?: number }?]) =>
        (await traces().list(flow.userId, filter, page ?? { limit: 10 })).map(({ runId }) => runId);
      expect(await listed({})).toEqual([third.id, second.id, first.id]);
      expect(await listed({}, { limit: 1, offset: 1 })).toEqual([second.id]);
      expect(await listed({ flowId: flow.id })).toEqual([second.id, first.id]);
      expect(await listed({ sessionId: 'Evening' })).toEqual([second.id]);
      expect(await listed({ statuses: ['failed', 'dead'] })).toEqual([second.id]);
      expect(await listed({ text: 'GREET' })).toEqual([third.id]);
      expect(await listed({ text: 'even' })).toEqual([second.id]);
      expect(await listed({ text: first.id.slice(2) })).toEqual([first.id]);
      expect(await listed({ to: new Date('2026-01-02T00:00:00Z') })).toEqual([first.id]);
      expect(await listed({ from: new Date('2026-01-02T00:00:00Z') })).toEqual([third.id, second.id]);
      expect(await listed({ sessionId: 'a\u0000b' })).toEqual([]);
      expect(await traces().count(flow.userId, {})).toBe(3);
      expect(await traces().count(flow.userId, { flowId: flow.id })).toBe(2);
    });

    test('traces of other users are neither found, listed nor deleted', async () => {
      const flow = await makeFlow(open().database);
      const run = await record(flow);
      const stranger = await makeUser(open().database);
      expect(await traces().find(stranger.id, run.id)).toBeNull();
      expect(await traces().list(stranger.id, { flowId: flow.id }, { limit: 10 })).toEqual([]);
      expect(await traces().count(stranger.id, {})).toBe(0);
      expect(await traces().delete(stranger.id, run.id)).toBe(false);
      expect(await traces().deleteOfFlow(stranger.id, flow.id, 500)).toBe(0);
      expect(await traces().find(flow.userId, run.id)).not.toBeNull();
    });

    test('traces are deleted alone, by flow, and with their run or flow', async () => {
      const flow = await makeFlow(open().database);
      const [first, second, third, fourth] = [
        await record(flow),
        await record(flow),
        await record(flow),
        await record(flow),
      ];
      expect(await traces().delete(flow.userId, first.id)).toBe(true);
      expect(await traces().delete(flow.userId, first.id)).toBe(false);
      expect(await runs().find(flow.userId, first.id)).not.toBeNull();
      expect(await runs().deleteRecord(flow.userId, second.id)).toBe(true);
      await open().database.query({
        text: `UPDATE runs SET accepted_at = now() - interval '8 days', finished_at = now() - interval '8 days'
          WHERE id = $1`,
        values: [third.id],
      });
      await runs().prune({ retentionDays: 7, keptFlowVersions: 20, limit: 500, versionLimit: 500 });
      const kept = async () => (await stored(flow)).sort();
      expect(await kept()).toEqual([fourth.id]);
      await record(flow);
      expect(await traces().deleteOfFlow(flow.userId, flow.id, 1)).toBe(1);
      expect(await kept()).toHaveLength(1);
      expect(await traces().deleteOfFlow(flow.userId, flow.id, 500)).toBe(1);
      expect(await kept()).toEqual([]);
      await record(flow);
      await new FlowStore({ database: open().database }).delete(flow.userId, flow.id);
      expect(await kept()).toEqual([]);
    });

    async function stored(flow: FlowRecord): Promise<string[]> {
      const { rows } = await open().database.query<{ id: string }>({
        text: 'SELECT run_id AS id FROM run_traces WHERE flow_id = $1',
        values: [flow.id],
      });
      return rows.map(({ id }) => id);
    }
  });
}
