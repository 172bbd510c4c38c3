import { DeduplicatedText } from '@millrace/messages';
import { randomUUID } from 'node:crypto';
import { uuidv7 } from '@millrace/service';
import { Encryption } from '../encryption/encryption';
import { RequestSeal } from '../encryption/request-seal';
import { MessageStore } from '../messages/message-store';
import { RunStore } from '../runs/run-store';
import type { TestDatabase } from '../testing/open-test-database';
import { rewriteTexts } from './rewrite-texts';
import { examineTexts } from './text-places';
import { interactiveRun, makeFlow, messageRow, newRun, openCallbacks } from '../testing/test-parts';

/** Contract for texts that are stored as values of a template. */
export function describeTextTemplates(name: string, open: () => TestDatabase): void {
  describe(`texts of templates (${name})`, () => {
    const database = () => open().database;
    const codedTexts = async (id: string) => {
      const { rows } = await database().query<{
        request: string;
        result: string;
        usage: string;
        bodies: string[];
      }>({
        text: `SELECT request, result, usage, ARRAY(SELECT body FROM messages WHERE run_id = runs.id ORDER BY position) AS bodies
          FROM runs WHERE id = $1`,
        values: [id],
      });
      return rows[0];
    };

    /** Records runs of the flow until its texts have templates. */
    async function codingStore(flow: Awaited<ReturnType<typeof makeFlow>>): Promise<RunStore> {
      const store = new RunStore({ database: database() });
      for (let tries = 0; tries < 200; tries += 1) {
        const run = runOf(flow, `warm up ${tries}`);
        await store.record([run]);
        const stored = await codedTexts(run.id);
        const texts = [stored?.request, stored?.result, stored?.usage, ...(stored?.bodies ?? [])];
        if (texts.every((text) => text?.startsWith('~'))) return store;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error('the texts of the flow did not get templates');
    }

    test.each([
      'hello',
      'with "quotes", \u{1f600} and a \\ at the end \\',
      'two\nlines\u0000\ud800',
      '~',
      '',
    ])('a run with the text %j is read as it was written', async (text) => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const run = runOf(flow, text);
      await store.record([run]);
      expect(await codedTexts(run.id)).toMatchObject({
        request: expect.stringMatching(/^~/) as unknown,
        result: expect.stringMatching(/^~/) as unknown,
      });
      const found = await store.find(flow.userId, run.id);
      expect(found).toMatchObject({ resultText: run.result, request: run.request });
      expect(JSON.stringify(found?.usage)).toBe(run.usage);
      expect(await store.ended([run.id])).toEqual([
        { id: run.id, status: 'succeeded', resultText: run.result },
      ]);
      const messages = new MessageStore({ database: database() });
      const [message] = await messages.list({ userId: flow.userId, runId: run.id, orderBy: 'text' });
      expect(message).toEqual({ ...run.messages[0], runId: run.id });
    });

    test('an answer whose long texts stand apart is stored and read as the whole one', async () => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const text = 'a long text, "quoted", \u0001text 0\u0001 and \ud800 '.repeat(100);
      const run = runOf(flow, text);
      const content = JSON.stringify(text).slice(1, -1);
      const pieces = run.result.split(content);
      const apart = new DeduplicatedText(
        [Buffer.from(content)],
        pieces.map((piece) => Buffer.from(piece)),
        pieces.slice(1).map(() => 0),
      );
      expect(apart.toString()).toBe(run.result);
      await store.record([{ ...run, result: apart }]);
      const whole = { ...runOf(flow, text), result: null as string | null };
      await store.record([{ ...whole, result: run.result.replaceAll(run.id, whole.id) }]);
      const stored = (await codedTexts(run.id))?.result;
      expect(stored).toMatch(/^~/);
      expect(stored).toBe((await codedTexts(whole.id))?.result);
      expect(await store.find(flow.userId, run.id)).toMatchObject({ resultText: run.result });
      const uncoded = { ...runOf(flow, text), result: apart };
      await new RunStore({ database: database() }).record([uncoded]);
      expect(await store.find(flow.userId, uncoded.id)).toMatchObject({ resultText: run.result });
    });

    test('a durable run is claimed, completed, replayed and reported with its whole texts', async () => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const sample = runOf(flow, 'a durable text');
      const { request } = sample;
      const callback = { url: 'https://example.com/hook', on: ['finished' as const] };
      const run = newRun(flow, { request, callback });
      await store.accept([run]);
      const claims = await store.claim([{ runId: run.id, worker: 'one', redelivered: false }]);
      expect(claims.get(run.id)).toMatchObject({ outcome: 'claimed', request });
      const { id: runId, flowId, sessionId } = run;
      const result = sample.result.replaceAll(sample.id, runId);
      const end = {
        runId,
        flowId,
        sessionId,
        attempt: 1,
        status: 'succeeded' as const,
        result,
        failure: null,
        messages: [],
      };
      await store.complete([end]);
      expect((await codedTexts(run.id))?.result).toMatch(/^~/);
      const late = await store.claim([{ runId, worker: 'two', redelivered: false }]);
      expect(late.get(runId)).toMatchObject({ outcome: 'finished', resultText: result });
      const failing = newRun(flow, { request });
      await store.accept([failing]);
      await store.claim([{ runId: failing.id, worker: 'one', redelivered: false }]);
      const failure = { code: 'component_failed', message: 'it failed', vertex: null, problems: [] };
      await store.complete([{ ...end, runId: failing.id, status: 'failed', result: null, failure }]);
      const replays = await store.within(database()).replay(flow.userId, [failing.id], {
        requestId: null,
        pythonPool: null,
        traceparent: null,
        version: 'current',
      });
      const replay = await store.find(flow.userId, replays.ids.get(failing.id) ?? '');
      expect(replay).toMatchObject({ request, replayOf: failing.id });
      const callbacks = openCallbacks(database());
      const due = await callbacks.take({ limit: 10_000, perTarget: 100, places: new Map() });
      expect(due.find((report) => report.run.id === runId)?.run.resultText).toBe(result);
    });

    test.each(['flow', 'run', 'user'] as const)(
      'a text that is the id of the %s is read as it was written',
      async (of) => {
        const flow = await makeFlow(database());
        const store = new RunStore({ database: database() });
        const run = runOf(flow, 'an id');
        const text = { flow: flow.id, run: run.id, user: flow.userId }[of];
        const messages = run.messages.map((message) => ({ ...message, text }));
        // The template of the text is stored with the first one.
        for (let tries = 0; ; tries += 1) {
          const id = uuidv7();
          const own = messages.map((message) => ({
            ...message,
            id: randomUUID(),
            text: text === run.id ? id : text,
          }));
          const result = run.result.replaceAll(run.id, id).replaceAll('an id', own[0]?.text ?? '');
          await store.record([{ ...run, id, result, messages: own }]);
          const list = await new MessageStore({ database: database() }).list({
            userId: flow.userId,
            runId: id,
          });
          expect(list).toEqual(own.map((message) => ({ ...message, runId: id })));
          expect((await store.find(flow.userId, id))?.resultText).toBe(result);
          const stored = await codedTexts(id);
          if (stored?.bodies.every((body) => body.startsWith('~')) && stored.result.startsWith('~')) break;
          if (tries > 200) throw new Error('the texts did not get templates');
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      },
    );

    test('templates that the database has lost are stored again, and the texts are read', async () => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const run = runOf(flow, 'before the loss');
      await store.record([run]);
      const { rows: lost } = await database().query<{ digest: string }>({
        text: `DELETE FROM text_templates USING runs WHERE id = $1
          AND digest IN (substr(request, 2, 8), substr(result, 2, 8)) RETURNING digest`,
        values: [run.id],
      });
      expect(lost).toHaveLength(2);
      expect((await store.find(flow.userId, run.id))?.resultText).toBeNull();
      const now = performance.now.bind(performance);
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 11_000);
      try {
        for (let tries = 0; tries < 100; tries += 1) {
          await store.record([runOf(flow, 'after the loss')]);
          // One template is stored after the other.
          const found = await store.find(flow.userId, run.id);
          if (found !== null && found.request !== null && found.resultText !== null) break;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      } finally {
        clock.mockRestore();
      }
      expect(await store.find(flow.userId, run.id)).toMatchObject({
        resultText: run.result,
        request: run.request,
      });
    });

    test('a sealed request is stored whole, with its key', async () => {
      const flow = await makeFlow(database());
      await codingStore(flow);
      const seal = new RequestSeal({ encryption: Encryption.from(['ab'.repeat(32)]) });
      const store = new RunStore({ database: database(), seal });
      for (let tries = 0; ; tries += 1) {
        const { id, request, ...run } = runOf(flow, 'with a secret');
        const sealed = { ...run, id, request: { ...request, globalVariables: { KEY: 'secret' } } };
        await store.record([sealed]);
        const stored = await codedTexts(id);
        expect(stored?.request).toMatch(/^\{"sealed":"/);
        expect((await store.find(flow.userId, id))?.request).toEqual(sealed.request);
        if (stored?.result.startsWith('~')) break;
        if (tries > 200) throw new Error('the answers did not get a template');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    });

    test('a changed message and a message of a renamed session keep their texts', async () => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const run = runOf(flow, 'before the change');
      await store.record([run]);
      const messages = new MessageStore({ database: database() });
      const [row] = await messages.renameSession(flow.userId, run.messages[0]?.sessionId ?? '', 'renamed');
      expect(row?.sessionId).toBe('renamed');
      const id = run.messages[0]?.id ?? '';
      await messages.update(flow.userId, id, () => ({ edit: true }));
      const [changed] = await messages.list({ userId: flow.userId, runId: run.id });
      expect(changed).toEqual({ ...run.messages[0], runId: run.id, sessionId: 'renamed', edit: true });
    });

    test('texts of unknown shapes are stored whole, and their templates are bounded', async () => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const runs = Array.from({ length: 60 }, (_, count) => {
        const run = runOf(flow, 'shape');
        const outputs = Array.from({ length: count % 9 }, () => ({
          results: {},
          inputs: { input_value: 'x' },
        }));
        return { ...run, result: JSON.stringify({ session_id: 's', outputs, logs: { own: count } }) };
      });
      for (const run of runs) await store.record([run]);
      for (const run of runs) expect((await store.find(flow.userId, run.id))?.resultText).toBe(run.result);
      const { rows } = await database().query<{ count: number }>({
        text: 'SELECT count(*)::int AS count FROM text_templates',
      });
      expect(rows[0]?.count).toBeLessThan(40);
    });

    test('texts are rewritten whole, byte for byte, and a row without its template stays and is named', async () => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const runs = ['a "text"', 'two\nlines\u0000', 'a \u{1f600}'].map((text) => runOf(flow, text));
      await store.record(runs);
      const lost = runOf(flow, 'lost');
      await store.record([lost]);
      await database().query({
        text: `UPDATE runs SET usage = '~--none--' || substr(usage, 10) WHERE id = $1`,
        values: [lost.id],
      });
      const before = await examineTexts(database());
      expect(before.areCoded).toBe(true);
      expect(before.missing).toContainEqual({ place: 'runs', id: lost.id });
      const [ofRuns, ofMessages] = await rewriteTexts({ database: database() });
      expect(ofRuns?.rewritten).toBeGreaterThanOrEqual(runs.length);
      expect(ofMessages).toMatchObject({ locked: 0, missing: 0 });
      expect(ofMessages?.rewritten).toBeGreaterThanOrEqual(runs.length + 1);
      for (const run of runs) {
        const { text, files, edit, properties, category, contentBlocks, duration, sessionMetadata } =
          run.messages[0] ?? messageRow(flow);
        const body = { text, files, edit, properties, category, contentBlocks, duration, sessionMetadata };
        expect(await codedTexts(run.id)).toEqual({
          request: JSON.stringify(run.request),
          result: run.result,
          usage: run.usage,
          bodies: [JSON.stringify(body)],
        });
        expect(await store.find(flow.userId, run.id)).toMatchObject({ resultText: run.result });
      }
      expect(ofRuns).toMatchObject({ locked: 0, missing: 1, named: [lost.id] });
      const stored = await codedTexts(lost.id);
      expect(stored).toMatchObject({
        result: lost.result,
        usage: expect.stringMatching(/^~--none--\n/) as unknown,
      });
      await database().query({ text: 'DELETE FROM runs WHERE id = $1', values: [lost.id] });
      const again = await rewriteTexts({ database: database() });
      expect(again.map(({ rewritten, locked, missing }) => [rewritten, locked, missing])).toEqual([
        [0, 0, 0],
        [0, 0, 0],
      ]);
      expect(await examineTexts(database())).toEqual({ areCoded: false, missing: [] });
    });

    test('an interrupted rewrite is continued by the next one, which visits each row once', async () => {
      const flow = await makeFlow(database());
      const store = await codingStore(flow);
      const runs = Array.from({ length: 450 }, (_, count) => runOf(flow, `text ${count}`));
      await store.record(runs);
      const interruption = new AbortController();
      let before = 0;
      const interrupted = rewriteTexts({
        database: database(),
        signal: interruption.signal,
        onProgress: (_place, _rows, rewritten) => {
          before = rewritten;
          if (rewritten > 0) interruption.abort(new Error('interrupted'));
        },
      });
      await expect(interrupted).rejects.toThrow('interrupted');
      const coded = async () => {
        const { rows } = await database().query<{ count: number }>({
          text: `SELECT count(*)::int AS count FROM runs WHERE result LIKE '~%'`,
        });
        return rows[0]?.count ?? 0;
      };
      const left = await coded();
      expect(left).toBeGreaterThan(0);
      const { rows: all } = await database().query<{ count: number }>({
        text: 'SELECT count(*)::int AS count FROM runs',
      });
      const [ofRuns] = await rewriteTexts({ database: database() });
      expect(ofRuns?.rewritten).toBeGreaterThanOrEqual(left);
      expect(before + (ofRuns?.rewritten ?? 0)).toBeGreaterThanOrEqual(runs.length);
      expect(ofRuns?.rows).toBe(all[0]?.count);
      expect(await coded()).toBe(0);
    });
  });
}

function runOf(flow: Awaited<ReturnType<typeof makeFlow>>, text: string) {
  const usage = { calls: 1, inputTokens: 5, outputTokens: 7, cost: 0.5, unpricedCalls: 0, models: [] };
  const message = messageRow(flow, { text, sessionMetadata: { graph_run_id: 'r' } });
  const run = interactiveRun(flow, { messages: [message], usage: JSON.stringify(usage) });
  const result = JSON.stringify({
    session_id: run.sessionId,
    outputs: [
      { inputs: { input_value: text }, outputs: [{ results: { message: { text } }, run_id: run.id }] },
    ],
  });
  return {
    ...run,
    result,
    request: { ...run.request, inputs: [{ components: [], inputValue: text, type: 'chat' as const }] },
  };
}
