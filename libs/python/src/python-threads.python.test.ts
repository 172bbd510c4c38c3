import type { PythonValue } from '@millrace/python-text';
import type { PythonPool } from './index';
import { component, one, saved, show } from './testing/author-component.fixture';
import { firstOwner, runPythonFlow } from './testing/python-flow.fixture';
import type { FlowRun, FlowRunOptions } from './testing/python-flow.fixture';
import { openTestPool } from './testing/test-pool.fixture';
import { testPython } from './testing/test-python.fixture';

const startMilliseconds = 120_000;
jest.setTimeout(startMilliseconds);
let pool: PythonPool;
beforeAll(async () => {
  pool = await openTestPool(testPython());
  await (await pool.lease(firstOwner, new AbortController().signal)).release();
}, startMilliseconds);
afterAll(() => pool.close());

/** Runs vertices with this body side by side, twice in one process: the second run finds the class compiled. */
async function twice(count: number, body: string, options: FlowRunOptions = {}): Promise<PythonValue[][]> {
  const code = component('', one, body);
  const ids = Array.from({ length: count }, (_, number) => String(number + 1));
  const vertices = ids.flatMap((id) => [
    { id: `Mine-${id}`, code, outputs: saved },
    show(`Mine-${id}.result`, `Show-${id}`),
  ]);
  const valuesOf = ({ shown }: FlowRun): PythonValue[] => [...shown.values()];
  const first = valuesOf(await runPythonFlow(pool, vertices, options));
  return [first, valuesOf(await runPythonFlow(pool, vertices, options))];
}

const threadName = 'threading.current_thread().name.rpartition("_")[0]';

test('a plain method runs in the thread that read its frame, without an event loop', async () => {
  const [, second] = await twice(
    1,
    `def run_it(self):
    import asyncio, threading
    async def waits():
        await asyncio.sleep(0)
        return "waited"
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        return [${threadName}, str(error), asyncio.run(waits())]`,
  );
  expect(second).toEqual([['millrace', 'no running event loop', 'waited']]);
});

test('a coroutine, and a class with a constructor of its own, have the event loop', async () => {
  const [, coroutine] = await twice(
    1,
    `async def run_it(self):
    import asyncio, threading
    await asyncio.sleep(0)
    return threading.current_thread() is threading.main_thread()`,
  );
  expect(coroutine).toEqual([true]);
  const [, constructed] = await twice(
    1,
    `def __init__(self, **options):
    import asyncio
    super().__init__(**options)
    self._own = asyncio.get_running_loop().create_future()

def run_it(self):
    return self._own.done()`,
  );
  expect(constructed).toEqual([false]);
});

test('vertices side by side run at the same time', async () => {
  const body = `def run_it(self):
    import builtins, threading
    barrier = builtins.__dict__.setdefault("test_barrier", threading.Barrier(3))
    barrier.wait(60)
    return "met"`;
  expect(await twice(3, body)).toEqual([
    ['met', 'met', 'met'],
    ['met', 'met', 'met'],
  ]);
});

test('more vertices than threads get the answers of the executor', async () => {
  const count = 40;
  const body = `def run_it(self):
    return self.variables("name")`;
  const values = await twice(count, body, { variables: { name: 'Ann' } });
  expect(values).toEqual([Array(count).fill('Ann'), Array(count).fill('Ann')]);
});

test('context variables of a vertex end with it', async () => {
  const body = `def run_it(self):
    import builtins, contextvars
    own = builtins.__dict__.setdefault("test_variable", contextvars.ContextVar("own", default="none"))
    found = own.get()
    own.set("set")
    return found`;
  expect(await twice(4, body)).toEqual([Array(4).fill('none'), Array(4).fill('none')]);
});

test('a message that a plain method sends is in the session once', async () => {
  const code = component(
    '',
    one,
    `def run_it(self):
    import asyncio
    asyncio.run(self.send_message(Message(text="sent", sender="Machine", sender_name="AI")))
    return Message(text="another")`,
  );
  const vertices = [
    { id: 'Mine-1', code, outputs: saved },
    { id: 'ChatOutput-1', from: { input_value: 'Mine-1.result' } },
  ];
  for (const { stored } of [await runPythonFlow(pool, vertices), await runPythonFlow(pool, vertices)]) {
    expect(stored.map(({ text }) => text)).toEqual(['sent', 'another']);
  }
});

test.each([
  ['raise StopIteration', 'component raised StopIteration'],
  ['raise SystemExit("ended")', 'ended'],
  ['raise ValueError("wrong")', 'wrong'],
])('after %s the process goes on', async (statement, text) => {
  const body = `def run_it(self):\n    ${statement}`;
  await expect(twice(1, body)).rejects.toThrow(text);
  await expect(twice(1, body)).rejects.toThrow(text);
  expect(await twice(1, 'def run_it(self):\n    return 1')).toEqual([[1], [1]]);
});
