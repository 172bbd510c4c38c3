import { randomBytes } from 'node:crypto';
import type { Database } from '@millrace/database';
import { Encryption } from '../encryption/encryption';
import { RequestSeal } from '../encryption/request-seal';
import type { FlowRecord } from '../flows/flow-record';
import { CallbackStore } from '../callbacks/callback-store';
import { DecisionLinks } from '../human-requests/decision-links';
import { RunStore } from '../runs/run-store';
import type { TestDatabase } from '../testing/open-test-database';
import { completion, interactiveRun, makeFlow, newRun, REQUEST } from '../testing/test-parts';
import { examineTexts } from '../text-templates/text-places';
import { rewriteTexts } from '../text-templates/rewrite-texts';
import { BodyMover } from './body-mover';
import { moveBodies } from './move-bodies';
import type { ObjectStore } from './object-store';

const CALLBACK = { url: 'https://a.test', secrets: [] };
const failure = { code: 'component_failed', message: 'it failed', vertex: null, problems: [] };
const signal = new AbortController().signal;
const encryption = Encryption.from(['07'.repeat(32)]);

const largeRequest = (sessionId = 'session') => ({
  ...REQUEST,
  sessionId,
  inputs: [{ components: [], inputValue: largeText(), type: 'chat' as const }],
});
const largeText = () => `"ä" ${randomBytes(150_000).toString('hex')}`;
const largeResult = () => JSON.stringify({ session_id: 'session', outputs: [{ text: largeText() }] });

/** A run with a request and a result that move. */
export function largeRun(flow: FlowRecord) {
  return interactiveRun(flow, { request: largeRequest(), result: largeResult() });
}

/** What tests of bodies in objects do with a database. */
export function runBodyTools(database: Database, objects: ObjectStore) {
  const query = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await database.query<Row>({ text, values })).rows;
  return {
    query,
    store: new RunStore({ database, objects, seal: new RequestSeal({ encryption }) }),
    /** Moves what is due. A round ends after some seconds, and bodies of earlier tests can be due. */
    async move() {
      for (let rounds = 0; rounds < 30; rounds += 1) {
        const mover = new BodyMover({ database, objects, movedAfter: '0 s' });
        const { moved, failure: error } = await mover.moveDue(signal);
        expect(error).toBeNull();
        if (moved === 0) return;
      }
      throw new Error('Bodies are due after thirty rounds.');
    },
    async columns(id: string) {
      return (
        await query<{ request: string; result: string | null }>(
          'SELECT request, result FROM runs WHERE id = $1',
          [id],
        )
      )[0];
    },
  };
}

/** Contract of requests and results that are in the object store. */
export function describeRunBodies(name: string, open: () => TestDatabase, objects: () => ObjectStore): void {
  describe(`bodies in objects (${name})`, () => {
    const tools = () => runBodyTools(open().database, objects());
    const inObject = expect.stringMatching(/^~@[-\w]+\/runs\/[-\w]+\/[-\w]+ \d+$/) as unknown;

    test('a large request and result are read as they were written, and small ones stay', async () => {
      const { store, move, columns } = tools();
      const flow = await makeFlow(open().database);
      const [run, small] = [largeRun(flow), interactiveRun(flow)];
      await store.record([run, small]);
      const before = await columns(small.id);
      await move();
      expect(await columns(run.id)).toEqual({ request: inObject, result: inObject });
      expect(await columns(small.id)).toEqual(before);
      expect(await store.find(flow.userId, run.id)).toMatchObject({
        resultText: run.result,
        request: run.request,
      });
      const summary = await store.findSummary(flow.userId, run.id);
      expect(summary).toMatchObject({ status: 'succeeded', resultText: null, request: null });
      const [ended] = await store.ended([run.id]);
      expect(await store.wholeResult(run.id, ended?.resultText ?? null)).toBe(run.result);
      const begun = await store.beginRedelivered({ ...newRun(flow), id: run.id, worker: 'two' });
      expect(begun).toMatchObject({ finished: { resultText: run.result } });
    });

    test('a run that is claimed again, and its report, have the result', async () => {
      const { database } = open();
      const { store, move, columns } = tools();
      const flow = await makeFlow(database);
      const run = newRun(flow, { callback: CALLBACK });
      await store.accept([run]);
      await store.claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      const result = largeResult();
      await store.complete([completion(run.id, 1, { result })]);
      await move();
      expect((await columns(run.id))?.result).toEqual(inObject);
      const late = (await store.claim([{ runId: run.id, worker: 'two', redelivered: true }])).get(run.id);
      expect(late).toMatchObject({ outcome: 'finished', resultText: inObject });
      const options = {
        database,
        seal: new RequestSeal({ encryption }),
        decisionLinks: new DecisionLinks({ encryption, publicUrl: 'https://flows.test/' }),
      };
      const callbacks = new CallbackStore({ ...options, objects: objects() });
      const due = await callbacks.take({ limit: 1_000, perTarget: 1_000, places: new Map() });
      const report = due.find(({ run: { id } }) => id === run.id);
      expect((await callbacks.whole(report!)).run).toMatchObject({
        resultText: result,
        isResultTooLarge: false,
      });
      await expect(new CallbackStore(options).whole(report!)).rejects.toMatchObject({
        code: 'object_store_unavailable',
      });
      const large = { ...report!.run, resultText: (report!.run.resultText ?? '').replace(/\d+$/, '1048577') };
      expect((await callbacks.whole({ ...report!, run: large })).run).toMatchObject({
        resultText: null,
        isResultTooLarge: true,
      });
    });

    test('a request of a run that failed, and a sealed one, stay in the row', async () => {
      const { store, move, columns } = tools();
      const flow = await makeFlow(open().database);
      const request = largeRequest();
      const failing = newRun(flow, { request });
      await store.accept([failing]);
      await store.claim([{ runId: failing.id, worker: 'one', redelivered: false }]);
      await store.complete([completion(failing.id, 1, { status: 'failed', result: null, failure })]);
      const sealed = interactiveRun(flow, {
        request: { ...request, tweaks: { a: { b: 'secret' } } },
        result: '{}',
      });
      await store.record([sealed]);
      const before = [await columns(failing.id), await columns(sealed.id)];
      await move();
      expect([await columns(failing.id), await columns(sealed.id)]).toEqual(before);
      const replays = await store.replay(flow.userId, [failing.id]);
      const replay = await store.find(flow.userId, replays.get(failing.id) ?? '');
      expect(replay?.request).toEqual(request);
    });

    test('a body stays in its row for a minute, and one of two processes moves it', async () => {
      const { store, columns, query } = tools();
      const flow = await makeFlow(open().database);
      const run = largeRun(flow);
      await store.record([run]);
      const { database } = open();
      const mover = () => new BodyMover({ database, objects: objects() }).moveDue(signal);
      expect(await mover()).toEqual({ moved: 0, failure: null });
      await query(`UPDATE runs SET finished_at = now() - interval '61 seconds' WHERE id = $1`, [run.id]);
      const counts = await Promise.all([mover(), mover(), mover()]);
      expect(counts.map(({ moved }) => moved).sort()).toEqual([0, 0, 2]);
      expect(await columns(run.id)).toEqual({ request: inObject, result: inObject });
      const noted = await query('SELECT FROM object_deletions WHERE position($1 IN key) > 0', [run.id]);
      expect(noted).toEqual([]);
    });

    test('a body with a template is read whole, and moved back it is one that is rewritten', async () => {
      const { database } = open();
      const { store, move, columns } = tools();
      const flow = await makeFlow(database);
      const sample = () => {
        const text = largeText();
        return interactiveRun(flow, {
          request: largeRequest(),
          result: JSON.stringify({ session_id: 'session', outputs: [{ text, again: text, more: [text] }] }),
        });
      };
      let run = sample();
      for (let tries = 0; tries < 100; tries += 1) {
        run = sample();
        await store.record([run]);
        if (/^~[^@]/.test((await columns(run.id))?.result ?? '')) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect((await columns(run.id))?.result).toMatch(/^~[^@]/);
      await move();
      expect(await columns(run.id)).toEqual({ request: inObject, result: inObject });
      const read = { resultText: run.result, request: run.request };
      expect(await store.find(flow.userId, run.id)).toMatchObject(read);
      expect((await examineTexts(database)).missing).toEqual([]);
      expect(await moveBodies({ database, objects: objects() })).toMatchObject({ missing: 0 });
      await rewriteTexts({ database });
      expect(await columns(run.id)).toEqual({
        request: JSON.stringify(run.request),
        result: run.result,
      });
      const without = new RunStore({ database, seal: new RequestSeal({ encryption }) });
      expect(await without.find(flow.userId, run.id)).toMatchObject(read);
    });
  });
}
