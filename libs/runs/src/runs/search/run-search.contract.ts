import { randomUUID } from 'node:crypto';
import type { RunRequest } from '@millrace/flow';
import type { FlowRecord } from '../../flows/flow-record';
import { FlowStore } from '../../flows/flow-store';
import type { InteractiveRun } from '../attempts/run-completion';
import { ProjectStore } from '../../projects/project-store';
import { RunStore } from '../run-store';
import type { RunFilter, RunPosition } from './run-filter';
import type { TestDatabase } from '../../testing/open-test-database';
import { interactiveRun, makeFlow, newRun } from '../../testing/test-parts';

const HOUR = 3_600_000;

/** Contract for the search of runs, on any database. */
export function describeRunSearch(name: string, open: () => TestDatabase): void {
  describe(`search of runs (${name})`, () => {
    const store = () => new RunStore({ database: open().database });
    const record = async (flow: FlowRecord, changes: Partial<InteractiveRun> = {}) => {
      const run = interactiveRun(flow, changes);
      await store().record([run]);
      return run.id;
    };
    const failed = (flow: FlowRecord, code: string, changes: Partial<InteractiveRun> = {}) =>
      record(flow, {
        status: 'failed',
        result: null,
        failure: { code, message: 'it says "code":"other"', vertex: null, problems: [] },
        ...changes,
      });
    const find = async (filter: Partial<RunFilter> & Pick<RunFilter, 'userId'>) =>
      (await store().list(filter, { limit: 100 })).runs.map(({ id }) => id);

    test('lists runs newest first, in pages that neither repeat nor omit a run', async () => {
      const flow = await makeFlow(open().database);
      const other = await new FlowStore({ database: open().database }).create(flow.userId, {
        name: 'other',
        document: { nodes: [], edges: [] },
      });
      const acceptedAt = new Date(Date.now() - HOUR);
      const ids: string[] = [];
      // The same time for all: the order is by id then.
      for (let count = 0; count < 7; count += 1)
        ids.push(await record(count % 2 === 0 ? flow : other, { acceptedAt }));
      const seen: string[] = [];
      let after: RunPosition | undefined;
      for (let pages = 0; pages < 4; pages += 1) {
        const { runs, next } = await store().list({ userId: flow.userId }, { limit: 2, after });
        seen.push(...runs.map(({ id }) => id));
        expect(next === null).toBe(pages === 3);
        after = next ?? undefined;
      }
      expect(seen).toEqual(ids.toReversed());
      const [first = ''] = ids;
      const older = await store().list({ userId: flow.userId }, { limit: 10, before: ids[2] });
      expect(older.runs.map(({ id }) => id)).toEqual([ids[1], first]);
    });

    test('finds runs by each of their columns', async () => {
      const flow = await makeFlow(open().database);
      const { userId } = flow;
      const plain = await record(flow);
      const old = await record(flow, { acceptedAt: new Date(Date.now() - 2 * HOUR) });
      const other = await record(flow, { pool: 'gpu', origin: 'advanced', flowVersion: 7, sessionId: 'own' });
      const waiting = newRun(flow);
      await store().accept([waiting]);
      const theirs = await makeFlow(open().database);
      await record(theirs, { pool: 'gpu', origin: 'advanced', flowVersion: 7, sessionId: 'own' });
      for (const filter of [
        {},
        { flowId: flow.id },
        { sessionId: 'own' },
        { statuses: ['succeeded'] as const },
      ])
        expect(await find({ userId, pool: 'gpu', ...filter })).toEqual([other]);
      expect(await find({ userId, flowId: flow.id })).toHaveLength(4);
      expect(await find({ userId, pool: 'gpu' })).toEqual([other]);
      expect(await find({ userId, pool: 'default' })).toHaveLength(3);
      expect(await find({ userId, origin: 'advanced' })).toEqual([other]);
      expect(await find({ userId, flowId: flow.id, flowVersion: 7 })).toEqual([other]);
      expect(await find({ userId, sessionId: 'own' })).toEqual([other]);
      expect(await find({ userId, statuses: ['accepted', 'running'] })).toEqual([waiting.id]);
      expect(
        await find({ userId, statuses: ['succeeded'], acceptedBefore: new Date(Date.now() - HOUR) }),
      ).toEqual([old]);
      expect(
        await find({ userId, statuses: ['succeeded'], acceptedFrom: new Date(Date.now() - HOUR) }),
      ).toEqual([other, plain]);
    });

    test('finds the runs of the flows of a project, in each order', async () => {
      const flow = await makeFlow(open().database);
      const { userId } = flow;
      const flows = new FlowStore({ database: open().database });
      const project = await new ProjectStore({ database: open().database }).create(userId, { name: 'mill' });
      const inside = await flows.create(userId, { name: 'inside', document: {} });
      const second = await flows.create(userId, { name: 'second', document: {} });
      for (const { id } of [inside, second])
        await open().database.query({
          text: 'UPDATE flows SET folder_id = $2 WHERE id = $1',
          values: [id, project.id],
        });
      const outside = await record(flow);
      const [one, other] = [
        await record(inside, { pool: 'gpu' }),
        await record(second, { sessionId: 'own' }),
      ];
      const broken = await failed(inside, 'component_failed');
      await failed(flow, 'component_failed');
      const waiting = newRun(second);
      await store().accept([waiting, newRun(flow)]);
      const ofProject = { userId, projectId: project.id };
      expect(await find(ofProject)).toEqual([waiting.id, broken, other, one]);
      expect(await find({ ...ofProject, userId: null })).toEqual([waiting.id, broken, other, one]);
      expect(await find({ ...ofProject, flowId: inside.id })).toEqual([broken, one]);
      expect(await find({ ...ofProject, flowId: flow.id })).toEqual([]);
      expect(await find({ ...ofProject, statuses: ['failed'] })).toEqual([broken]);
      expect(await find({ ...ofProject, userId: null, errorCode: 'component_failed' })).toEqual([broken]);
      expect(await find({ ...ofProject, statuses: ['accepted', 'queued'] })).toEqual([waiting.id]);
      expect(await find({ ...ofProject, pool: 'gpu' })).toEqual([one]);
      expect(await find({ ...ofProject, sessionId: 'own' })).toEqual([other]);
      expect(await find({ userId: (await makeFlow(open().database)).userId, projectId: project.id })).toEqual(
        [],
      );
      expect(outside).toBeDefined();
    });

    test('finds runs without success by status, error code and vertex', async () => {
      const flow = await makeFlow(open().database);
      const { userId } = flow;
      await record(flow);
      const component = await failed(flow, 'component_failed');
      const late = await failed(flow, 'deadline_exceeded', { status: 'timed_out' });
      const vertex = { id: 'Prompt-"1"', displayName: 'Prompt', type: 'Prompt' };
      const named = await failed(flow, 'x', {
        failure: { code: 'component_failed', message: '\u0000 \ud800', vertex, problems: [] },
      });
      expect(await find({ userId, statuses: ['failed'] })).toEqual([named, component]);
      expect(await find({ userId, statuses: ['failed', 'timed_out'] })).toEqual([named, late, component]);
      expect(await find({ userId, errorCode: 'component_failed' })).toEqual([named, component]);
      expect(await find({ userId, errorCode: 'other' })).toEqual([]);
      expect(await find({ userId, vertexId: vertex.id })).toEqual([named]);
      expect(await find({ userId, vertexId: 'Prompt' })).toEqual([]);
      expect(await find({ userId, errorCode: 'deadline_exceeded', flowId: flow.id })).toEqual([late]);
    });

    test('finds the runs that called a model, by its whole name', async () => {
      const flow = await makeFlow(open().database);
      const { userId } = flow;
      const numbers = { calls: 1, inputTokens: 1, outputTokens: 1, cost: null, unpricedCalls: 1 };
      const used = (...names: string[]) =>
        JSON.stringify({
          ...numbers,
          models: names.map((model) => ({ provider: 'P', model, ...numbers })),
        });
      await record(flow);
      const small = await record(flow, { usage: used('gpt-mini') });
      const odd = 'a "quoted" \\ model';
      const both = await record(flow, { usage: used('gpt', odd) });
      expect(await find({ userId, model: 'gpt' })).toEqual([both]);
      expect(await find({ userId, model: odd })).toEqual([both]);
      expect(await find({ userId, model: 'gpt-mini', flowId: flow.id })).toEqual([small]);
      expect(await find({ userId, model: 'mini' })).toEqual([]);
      expect(await find({ userId, model: 'gpt', statuses: ['failed'] })).toEqual([]);
      expect(await find({ userId: null, model: odd })).toEqual([both]);
    });

    test('finds the runs that a key asked for, also when they are replayed, apart from those without a stored key', async () => {
      const flow = await makeFlow(open().database);
      const { userId } = flow;
      const [keyId, other] = [randomUUID(), randomUUID()];
      const run = (key: Pick<RunRequest, 'keyId'>) =>
        newRun(flow, { request: { ...newRun(flow).request, ...key } });
      const [mine, theirs, odd] = [run({ keyId }), run({ keyId: other }), run({ keyId: 'no uuid' })];
      await store().accept([mine, theirs, odd, run({})]);
      await record(flow);
      const replay = await store()
        .within(open().database)
        .replayChanged(userId, mine.id, {
          requestId: null,
          pythonPool: null,
          traceparent: null,
          version: 'current',
          keyId: other,
          request: newRun(flow).request,
        });
      // Another request is one of who asks for it.
      expect(await find({ userId, keyId })).toEqual([mine.id]);
      expect(await find({ userId, keyId, flowId: flow.id })).toEqual([mine.id]);
      expect(await find({ userId: null, keyId: other })).toEqual([replay, theirs.id]);
      expect(await find({ userId: randomUUID(), keyId })).toEqual([]);
    });

    test('finds the runs of a session, also of the one that runs without a session have', async () => {
      const flow = await makeFlow(open().database);
      const other = await new FlowStore({ database: open().database }).create(flow.userId, {
        name: 'other',
        document: { nodes: [], edges: [] },
      });
      const own = await record(flow, { sessionId: flow.id });
      const borrowed = await record(other, { sessionId: flow.id });
      await record(other, { sessionId: other.id });
      const long = await record(flow, { sessionId: 'x'.repeat(10_000) });
      expect(await find({ userId: flow.userId, sessionId: flow.id })).toEqual([borrowed, own]);
      expect(await find({ userId: flow.userId, sessionId: flow.id, flowId: flow.id })).toEqual([own]);
      expect(await find({ userId: flow.userId, sessionId: 'x'.repeat(10_000) })).toEqual([long]);
    });

    test('lists the runs of one user only, or of all users', async () => {
      const [first, second] = [await makeFlow(open().database), await makeFlow(open().database)];
      const ids = [await record(first), await record(second, { sessionId: 'shared' })];
      const failures = [await failed(first, 'no_executor'), await failed(second, 'no_executor')];
      const session = await record(first, { sessionId: 'shared' });
      for (const filter of [
        { flowId: first.id },
        { sessionId: 'shared' },
        { errorCode: 'no_executor' },
        {},
      ]) {
        for (const { userId } of [first, second]) {
          const found = await store().list({ userId, ...filter }, { limit: 100 });
          expect(found.runs.filter((run) => run.userId !== userId)).toEqual([]);
        }
      }
      const all = { userId: null };
      expect((await find(all)).slice(0, 5)).toEqual([session, ...failures.toReversed(), ...ids.toReversed()]);
      expect(await find({ ...all, errorCode: 'no_executor' })).toEqual(failures.toReversed());
      expect((await find({ ...all, statuses: ['failed'] })).slice(0, 2)).toEqual(failures.toReversed());
      expect(await find({ ...all, sessionId: 'shared' })).toEqual([session, ids[1]]);
      expect(await find({ ...all, flowId: second.id })).toEqual([failures[1], ids[1]]);
      const waiting = newRun(second);
      await store().accept([waiting]);
      expect((await find({ ...all, statuses: ['accepted'] }))[0]).toBe(waiting.id);
      const { runs, next } = await store().list(all, { limit: 1 });
      expect(runs[0]?.id).toBe(waiting.id);
      const rest = await store().list(all, { limit: 1, after: next ?? undefined });
      expect(rest.runs[0]?.id).toBe(session);
      const recent = {
        ...all,
        acceptedFrom: new Date(Date.now() - HOUR),
        acceptedBefore: new Date(Date.now() + HOUR),
      };
      expect((await find(recent)).slice(0, 2)).toEqual([waiting.id, session]);
      expect(await find({ ...all, acceptedFrom: new Date(Date.now() + HOUR) })).toEqual([]);
    });
  });
}
