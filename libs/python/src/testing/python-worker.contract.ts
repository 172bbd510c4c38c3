import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Data, DataFrame, Message, PythonFloat } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { until } from '@millrace/service/testing';
import { PythonFailure } from '../process/python-failure';
import type { PythonPool } from '../index';
import type { LeaseKey } from '../pool/pool-settings';
import { ProcessEndedError } from '../process/process-ended-error';
import * as texts from './components.fixture';
import { firstOwner, give, runPythonFlow } from './python-flow.fixture';
import type { FlowRun, FlowRunOptions, TestVertex } from './python-flow.fixture';
import { EffectsOfRun } from './recorded-effects.fixture';
import { failureOf } from './run-text.fixture';
import { openTestPool } from './test-pool.fixture';
import type { TestPoolOptions } from './test-pool.fixture';

/** Imports of lfx on a busy machine. */
const startMilliseconds = 120_000;

/** What every worker that speaks the protocol does. `pythonOf` returns the interpreter, or what takes its place. */
export function describePythonWorker(
  name: string,
  pythonOf: () => string,
  { seal }: Pick<TestPoolOptions, 'seal'> = {},
): void {
  const open = (options: TestPoolOptions = {}): Promise<PythonPool> =>
    openTestPool(pythonOf(), { ...options, ...(seal && { seal }) });
  describe(name, () => {
    jest.setTimeout(startMilliseconds);
    let pool: PythonPool;
    beforeAll(async () => {
      pool = await open();
      await (await pool.lease(firstOwner, new AbortController().signal)).release();
    }, startMilliseconds);
    afterAll(() => pool.close());

    const vertex = (code: string, from?: string): TestVertex => ({
      id: 'C-1',
      code,
      outputs: ['result'],
      from: from === undefined ? undefined : { value: from },
    });
    const showing: TestVertex = { id: 'Show-1', from: { value: 'C-1.result' } };
    const result = async (code: string, options: FlowRunOptions = {}): Promise<PythonValue> => {
      const { shown } = await runPythonFlow(pool, [vertex(code), showing], options);
      return shown.get('Show-1') ?? null;
    };
    test.each<[string, PythonValue]>([
      ['a text', 'é😀\u0000\n'],
      ['numbers', [1, -7, 2.5, new PythonFloat(2), 2n ** 70n, Number.NaN, true, false, null]],
      ['a dict', { a: { b: [] }, $message: 1 }],
      ['a dict with one key that looks like a tag', { $message: { text: 'x' } }],
      [
        'a table',
        new DataFrame([
          { a: 1, b: 'x', c: new PythonFloat(1) },
          { a: 2, b: 'y', c: 0.5 },
        ]),
      ],
      [
        'a Data',
        new Data({ text: 't', list: [1, new PythonFloat(3)] }, { textKey: 'list', defaultValue: null }),
      ],
    ])('%s arrives and returns as it is', async (_name, value) => {
      const { shown } = await runPythonFlow(
        pool,
        [{ id: 'Given-1' }, vertex(texts.echo, 'Given-1.value'), showing],
        { components: [give('Given', value)] },
      );
      expect(shown.get('Show-1')).toEqual(value);
    });

    test('a message keeps its fields', async () => {
      const given = new Message({
        text: 'Hi',
        sender: 'User',
        senderName: 'Ann',
        files: ['a/b.txt'],
        timestamp: '2026-01-01 00:00:00.000000 UTC',
      });
      const { shown } = await runPythonFlow(
        pool,
        [{ id: 'Given-1' }, vertex(texts.echo, 'Given-1.value'), showing],
        { components: [give('Given', given)] },
      );
      const { fields } = shown.get('Show-1') as Message;
      expect(fields).toMatchObject({ ...given.fields, flowId: 'flow-1' });
    });

    test('a streamed text reaches the reader in parts', async () => {
      const { shown } = await runPythonFlow(pool, [vertex(texts.streams), showing]);
      expect((shown.get('Show-1') as Message).text).toBe('abc');
    });

    test('an exception is the error of the run', async () => {
      const error = await failureOf(result(texts.fails));
      expect(error.message).toContain('The number is wrong.');
      expect(error).toMatchObject({ code: 'component_failed', permanent: true });
      expect(error.cause).toBeInstanceOf(PythonFailure);
      expect(error.cause).toMatchObject({ type: 'ValueError', missingModule: null });
    });

    test('a missing package is named', async () => {
      const error = await failureOf(result(texts.missing));
      expect(error.message).toContain('nowhere');
      expect(error.cause).toMatchObject({ missingModule: 'nowhere' });
    });

    test.each([
      [1, false],
      [2, true],
    ])('the end of a process in attempt %i has permanent: %s', async (attempt, permanent) => {
      const error = await failureOf(result(texts.exits, { attempt }));
      expect(error).toMatchObject({ code: 'component_failed', permanent });
      expect((error.cause as Error).cause).toBeInstanceOf(ProcessEndedError);
      expect(await result(texts.counts)).toBe(1);
    });

    test.each(['loops', 'waits'] as const)('a component that %s ends with its run', async (behaviour) => {
      const abort = new AbortController();
      const lease = await pool.lease(firstOwner, abort.signal);
      const { pid } = lease.process.greeting;
      await lease.release();
      const run = failureOf(result(texts[behaviour], { signal: abort.signal }));
      setTimeout(() => abort.abort(), 50);
      expect(await run).toMatchObject({ code: 'cancelled' });
      await untilEnded(pid);
      const late = await failureOf(result(texts[behaviour], { timeoutMilliseconds: 200 }));
      expect(late).toMatchObject({ code: 'deadline_exceeded' });
      expect(await result(texts.counts)).toBe(1);
    });

    test('the context and objects live as long as the run', async () => {
      for (let run = 0; run < 2; run += 1) {
        const { shown } = await runPythonFlow(pool, [
          { id: 'A-1', code: texts.makes, outputs: ['result'] },
          { id: 'C-1', code: texts.uses, outputs: ['result'], from: { value: 'A-1.result' } },
          showing,
        ]);
        expect(shown.get('Show-1')).toBe(true);
        expect(await result(texts.counts)).toBe(1);
      }
    });

    test('a later attempt replays a vertex with its change of the context', async () => {
      const effects = new EffectsOfRun();
      const counted = async (ids: readonly string[], attempt: number): Promise<readonly PythonValue[]> => {
        const { shown } = await runPythonFlow(
          pool,
          ids.flatMap((id, index) => [
            {
              ...vertex(texts.counts, index === 0 ? undefined : `${ids[index - 1]}.result`),
              id,
            },
            { id: `Show-${index}`, from: { value: `${id}.result` } },
          ]),
          { attempt, effects: effects.attempt() },
        );
        return [...shown.values()];
      };
      expect(await counted(['A-1'], 1)).toEqual([1]);
      expect(await counted(['A-1', 'C-1'], 2)).toEqual([1, 2]);
      expect(await counted(['A-1', 'C-1'], 3)).toEqual([1, 2]);
    });

    test('a component reads variables by name', async () => {
      expect(await result(texts.asks, { variables: { KEY: 'secret' } })).toBe('secret');
    });

    test('a process serves one owner and flow version', async () => {
      const pidOf = (key: Partial<LeaseKey>): Promise<PythonValue> =>
        result(texts.pid, { key: { ...firstOwner, ...key } });
      const first = await pidOf({});
      expect(await pidOf({})).toBe(first);
      const others = [
        await pidOf({ ownerId: 'owner-2' }),
        await pidOf({ flowId: 'flow-2' }),
        await pidOf({ version: 2 }),
      ];
      expect(new Set([first, ...others]).size).toBe(4);
    });

    test('a process in which a run left a thread ends', async () => {
      const left = await result(texts.leaves);
      expect(await result(texts.pid)).not.toBe(left);
      await untilEnded(Number(left));
    });

    describe('with a limit of frames', () => {
      let small: PythonPool;
      beforeAll(async () => {
        small = await open({ limits: { maximumFrameBytes: 4 << 20 } });
        await (await small.lease(firstOwner, new AbortController().signal)).release();
      }, startMilliseconds);
      afterAll(() => small.close());

      test.each(['large', 'garbage'] as const)('a %s frame ends in one error', async (behaviour) => {
        const error = await failureOf(
          runPythonFlow(small, [vertex(texts[behaviour]), showing], { timeoutMilliseconds: 60_000 }),
        );
        expect(error).toMatchObject({ code: 'component_failed' });
        expect((await runPythonFlow(small, [vertex(texts.counts), showing])).shown.get('Show-1')).toBe(1);
      });
    });

    test('a run waits for a process only for a limited time', async () => {
      const single = await open({
        maximumProcesses: 1,
        limits: { waitMilliseconds: 60_000 },
      });
      try {
        const signal = new AbortController().signal;
        const lease = await single.lease(firstOwner, signal);
        const abort = new AbortController();
        const cancelled = single.lease(firstOwner, abort.signal);
        abort.abort('over');
        await expect(cancelled).rejects.toBe('over');
        const other = single.lease({ ...firstOwner, ownerId: 'owner-2' }, signal);
        await lease.release();
        const { process } = await other;
        expect(process.greeting.pid).not.toBe(lease.process.greeting.pid);
      } finally {
        await single.close();
      }
    });

    test('a run for which no process is free in time ends temporarily, with a code of its own', async () => {
      const single = await open({ maximumProcesses: 1, limits: { waitMilliseconds: 200 } });
      try {
        await until(() => single.counts.ready === 1, 'no process is ready');
        const lease = await single.lease(firstOwner, new AbortController().signal);
        const failure = await failureOf(runPythonFlow(single, [vertex(texts.counts), showing]));
        expect(failure.cause).toMatchObject({
          code: 'python_busy',
          permanent: false,
          message: expect.stringMatching(/^No Python process was free within [\d.]+ s\.$/),
        });
        await lease.release();
      } finally {
        await single.close();
      }
    });

    test('the end of the zygote ends its runs, and a further one starts', async () => {
      const killed = await open();
      try {
        await killed.lease(firstOwner, new AbortController().signal).then((lease) => lease.release());
        const run = failureOf(runPythonFlow(killed, [vertex(texts.waits), showing]));
        setTimeout(() => process.kill(killed.zygotePid ?? 0, 'SIGKILL'), 300);
        expect(await run).toMatchObject({ code: 'component_failed', permanent: false });
        const { shown }: FlowRun = await runPythonFlow(killed, [vertex(texts.counts), showing], {
          timeoutMilliseconds: 60_000,
        });
        expect(shown.get('Show-1')).toBe(1);
      } finally {
        await killed.close();
      }
    });

    test('a closed pool leaves no process and no folder', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'pool-'));
      const closing = await open({ folder });
      const lease = await closing.lease(firstOwner, new AbortController().signal);
      const { pid } = lease.process.greeting;
      await closing.close();
      await untilEnded(pid);
      expect(readdirSync(folder)).toEqual([]);
      rmSync(folder, { recursive: true });
      await expect(closing.lease(firstOwner, new AbortController().signal)).rejects.toThrow('shutting down');
    });
  });
}

async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await pause(20);
}

/** A process that has ended and waits for its parent counts as ended. */
function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
