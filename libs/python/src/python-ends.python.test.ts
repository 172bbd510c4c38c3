import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger, isRunning } from '@millrace/service';
import { PythonFailure } from './process/python-failure';
import type { PythonPool } from './index';
import { component, one, saved, show } from './testing/author-component.fixture';
import { firstOwner, runPythonFlow } from './testing/python-flow.fixture';
import type { FlowRunOptions } from './testing/python-flow.fixture';
import { openTestPool } from './testing/test-pool.fixture';
import { testPython } from './testing/test-python.fixture';

const startMilliseconds = 120_000;
jest.setTimeout(startMilliseconds);
const log = new PassThrough();
const lines: Record<string, unknown>[] = [];
log.on('data', (chunk: Buffer) => {
  for (const line of chunk.toString().trim().split('\n'))
    lines.push(JSON.parse(line) as Record<string, unknown>);
});
let pool: PythonPool;
beforeAll(async () => {
  const logger = createLogger({ name: 'test', level: 'debug', destination: log });
  pool = await openTestPool(testPython(), { logger });
  await (await pool.lease(firstOwner, new AbortController().signal)).release();
}, startMilliseconds);
afterAll(() => pool.close());

interface Failure extends Error {
  readonly code: string;
  readonly permanent: boolean;
  readonly cause: unknown;
}

async function failureOf(body: string, options: FlowRunOptions = {}): Promise<Failure> {
  const code = component('', one, `def run_it(self):\n    ${body.replaceAll('\n', '\n    ')}`);
  const vertices = [{ id: 'Mine-1', code, outputs: saved }, show('Mine-1.result')];
  try {
    await runPythonFlow(pool, vertices, options);
  } catch (error) {
    return error as Failure;
  }
  throw new Error('The run did not fail.');
}

/** Returns the id of the process that serves the next run. */
async function nextProcess(): Promise<number> {
  const lease = await pool.lease(firstOwner, new AbortController().signal);
  await lease.release();
  return lease.process.greeting.pid;
}

async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await pause(20);
}

describe('an exception', () => {
  test('has the words of Langflow, and its traceback is in the log only', async () => {
    lines.length = 0;
    const error = await failureOf('secret_name = 1\nraise KeyError("no such key")');
    expect(error).toMatchObject({ code: 'component_failed', permanent: true });
    expect(error.message).toBe("Error running graph: Error building Component Mine: \n\n'no such key'");
    const { cause } = error;
    expect(cause).toBeInstanceOf(PythonFailure);
    expect((cause as PythonFailure).trace).toContain('line');
    const found = lines.find(({ msg }) => msg === 'a component failed in Python');
    expect(found).toMatchObject({ level: 'debug', vertexId: 'Mine-1', flowId: 'flow-1', type: 'KeyError' });
    expect(found?.['runId']).toMatch(/^[0-9a-f-]{36}$/);
    expect(found?.['trace']).toContain('KeyError');
    expect(JSON.stringify([error.message, (cause as Error).message])).not.toContain('Traceback');
  });

  test.each([
    ['import cv2', 'cv2', 'opencv-python-headless'],
    ['from crewai_nowhere.tools import BaseTool', 'crewai_nowhere', 'crewai-nowhere'],
  ])('of %s names the module and its package', async (statement, module, name) => {
    const error = await failureOf(statement);
    expect(error.cause).toMatchObject({ missingModule: module });
    expect(error.message).toContain(`The module ${module} is not installed. Add the package ${name} to`);
  });

  test.each([
    ['raise SystemExit(3)', 'SystemExit', '3'],
    ['raise KeyboardInterrupt("stop")', 'KeyboardInterrupt', 'stop'],
    ['raise StopIteration("x")', 'RuntimeError', 'component raised StopIteration'],
    ['next(iter([]))', 'RuntimeError', 'component raised StopIteration'],
    ['raise GeneratorExit("end")', 'GeneratorExit', 'end'],
    ['class Own(BaseException): pass\nraise Own("own")', 'Own', 'own'],
    ['import asyncio\nraise asyncio.CancelledError("stop")', 'CancelledError', 'stop'],
    ['def again(): return again()\nreturn again()', 'RecursionError', 'recursion'],
    ['class Bad(Exception):\n    def __str__(self): raise ValueError("x")\nraise Bad()', 'Bad', 'Bad'],
    ['raise ValueError("x" * 1_000_000)', 'ValueError', 'xxx'],
  ])('%s is the error of the run, and its process goes on', async (body, type, text) => {
    const pid = await nextProcess();
    const error = await failureOf(body);
    expect(error.cause).toMatchObject({ type });
    expect(error.message).toContain(text);
    expect(error.message.length).toBeLessThan(30_000);
    expect(await nextProcess()).toBe(pid);
  });
});

describe('the end of a process', () => {
  test.each(['os._exit(3)', 'os.kill(os.getpid(), 9)', 'os.abort()'])(
    'by %s is temporary in the first attempt only',
    async (statement) => {
      for (const attempt of [1, 2]) {
        const error = await failureOf(`import os\n${statement}`, { attempt });
        expect(error).toMatchObject({ code: 'component_failed', permanent: attempt > 1 });
        expect(error.message).toContain('The Python process ended');
      }
    },
  );
});

test('a component without memory ends its process with a clear reason', async () => {
  const error = await failureOf('return bytearray(1 << 62)', { attempt: 2 });
  expect(error).toMatchObject({ code: 'component_failed', permanent: true });
  expect(error.message).toContain('it has no memory left');
});

/** None of these can be interrupted from Python: the second one does not even let another thread run. */
const endless = [
  ['a loop', 'while True: pass'],
  ['a call in C that keeps the lock of the interpreter', 'import ctypes\nctypes.PyDLL(None).sleep(1000)'],
  ['a call in C in a thread', 'import time\ntime.sleep(1000)'],
  [
    'a loop that ignores signals',
    // Python's own `signal.signal` works in the main thread alone.
    'import ctypes\nfor number in (2, 15): ctypes.CDLL(None).signal(number, 1)\nwhile True: pass',
  ],
  [
    'a thread of its own',
    'import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\ntime.sleep(1000)',
  ],
] as const;

describe.each(endless)('%s', (_name, body) => {
  test('ends with the cancelled run', async () => {
    const pid = await nextProcess();
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 200);
    expect(await failureOf(body, { signal: abort.signal })).toMatchObject({ code: 'cancelled' });
    await untilEnded(pid);
  });

  test('ends at the deadline', async () => {
    const pid = await nextProcess();
    const error = await failureOf(body, { timeoutMilliseconds: 300 });
    expect(error).toMatchObject({ code: 'deadline_exceeded' });
    await untilEnded(pid);
  });
});
