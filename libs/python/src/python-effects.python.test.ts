import { randomUUID } from 'node:crypto';
import { defineComponent, handle, isToolHandle } from '@millrace/flow';
import type { Component } from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { PythonPool } from './index';
import { component, one, saved, show, valueInput } from './testing/author-component.fixture';
import { firstOwner, runPythonFlow } from './testing/python-flow.fixture';
import type { FlowRun, FlowRunOptions, TestVertex } from './testing/python-flow.fixture';
import { EffectsOfRun } from './testing/recorded-effects.fixture';
import { openTestPool } from './testing/test-pool.fixture';
import { testPython } from './testing/test-python.fixture';

const startMilliseconds = 120_000;
jest.setTimeout(startMilliseconds);
let pool: PythonPool;
beforeAll(async () => {
  // A process for each attempt, as when another executor takes over.
  pool = await openTestPool(testPython(), { reuse: 'never' });
  await (await pool.lease(firstOwner, new AbortController().signal)).release();
}, startMilliseconds);
afterAll(() => pool.close());

/** A vertex after the vertices in Python: it fails in the first attempt. */
const fails: Component = defineComponent({
  type: 'Fails',
  displayName: 'Fails',
  description: 'Fails in the first attempt.',
  inputs: { value: handle() },
  outputs: { value: { types: [] } },
  deterministic: false,
  run: ({ value }, { run }) => {
    if (run.attempt === 1) throw new Error('The first attempt fails.');
    return { value };
  },
});

/** Runs a flow in two attempts of one durable run; returns the second one. */
async function runTwice(vertices: readonly TestVertex[], options: FlowRunOptions = {}): Promise<FlowRun> {
  const effects = new EffectsOfRun();
  const runId = randomUUID();
  const attempt = (number: number): Promise<FlowRun> =>
    runPythonFlow(pool, vertices, {
      ...options,
      runId,
      attempt: number,
      effects: effects.attempt(),
      components: [fails, ...(options.components ?? [])],
    });
  await expect(attempt(1)).rejects.toThrow('The first attempt fails.');
  return attempt(2);
}

const mine = (code: string, more: Partial<TestVertex> = {}): TestVertex => ({
  id: 'Mine-1',
  code,
  outputs: saved,
  ...more,
});
const after = (from: string): readonly TestVertex[] => [
  { id: 'Fails-1', from: { value: from } },
  show('Fails-1.value'),
];
const shownIn = ({ shown }: FlowRun): PythonValue => shown.get('Show-1') ?? null;

/** A component whose result shows in which process it was computed. */
const processOf = (body: string, inputs = ''): string =>
  component(inputs, one, `def run_it(self):\n    import os\n    ${body}`);

/** Two components in a row: the first one is replayed, or not, and the second one runs after the failure. */
async function resultAfter(first: string, second: string): Promise<PythonValue> {
  const run = await runTwice([
    mine(first),
    { id: 'Fails-1', from: { value: 'Mine-1.result' } },
    { id: 'Next-1', code: second, outputs: saved, from: { value: 'Fails-1.value' } },
    show('Next-1.result'),
  ]);
  return shownIn(run);
}
const next = (expression: string): string =>
  component(valueInput, one, `def run_it(self):\n    return ${expression}`);

test('a vertex of a durable run is computed once in all attempts', async () => {
  const vertices = [mine(processOf('return [os.getpid(), 2.0, {"$message": 1}]')), ...after('Mine-1.result')];
  const effects = new EffectsOfRun();
  const pids = [];
  for (const [attempt, components] of [
    [2, [fails]],
    [3, [fails]],
  ] as const) {
    const run = await runPythonFlow(pool, vertices, { attempt, effects: effects.attempt(), components });
    pids.push(shownIn(run));
  }
  expect(pids[1]).toEqual(pids[0]);
});

test('a run that is not durable records nothing', async () => {
  const vertices = [mine(processOf('return os.getpid()')), show('Mine-1.result')];
  const first = shownIn(await runPythonFlow(pool, vertices));
  expect(shownIn(await runPythonFlow(pool, vertices))).not.toBe(first);
});

test('stored and sent messages are stored again, with the id that the outputs have', async () => {
  const code = component(
    '',
    one,
    `async def run_it(self):
    from lfx.memory import astore_message
    async def parts():
        for part in ("Hello", " ", "world"):
            yield part
    await astore_message(Message(text="kept", sender="User", sender_name="Ann", session_id=self.graph.session_id))
    sent = await self.send_message(Message(text=parts(), sender="Machine", sender_name="AI"))
    return [sent, str(sent.id), sent.timestamp]`,
  );
  const run = await runTwice([
    mine(code),
    ...after('Mine-1.result'),
    // An edge to a chat output makes the message a part of the conversation.
    {
      id: 'ChatOutput-1',
      from: { input_value: 'Mine-1.result' },
      fields: { should_store_message: { type: 'bool', value: false } },
    },
  ]);
  const before = run.stored.map(({ text }) => text);
  expect(before).toEqual(['kept', 'Hello world']);
  const [message, id, time] = shownIn(run) as readonly [Message, string, string];
  expect(message.text).toBe('Hello world');
  expect(run.stored[1]?.fields).toMatchObject({ id, timestamp: time });
  expect(message.fields.id).toBe(id);
  const times = run.stored.map(({ fields }) => fields.timestamp);
  expect(times.toSorted()).toEqual(times);
  expect(run.events.map(({ event }) => event)).toContain('add_message');
});

test('a replayed message is later than the messages that its attempt stored before', async () => {
  const code = component(
    valueInput,
    one,
    `async def run_it(self):
    return await self.send_message(Message(text="answer", sender="Machine", sender_name="AI"))`,
  );
  const run = await runTwice([
    { id: 'ChatInput-1', fields: { input_value: 'question' } },
    mine(code, { from: { value: 'ChatInput-1.message' } }),
    ...after('Mine-1.result'),
    { id: 'ChatOutput-1', from: { input_value: 'Fails-1.value' } },
  ]);
  const texts = run.stored
    .toSorted((left, right) => (left.fields.timestamp < right.fields.timestamp ? -1 : 1))
    .map(({ text }) => text);
  expect(texts[0]).toBe('question');
  expect(texts).toContain('answer');
});

test('stopped outputs, status and logs are replayed', async () => {
  const code = component(
    '',
    'Output(name="a", method="run_a"), Output(name="b", method="run_b")',
    'def run_a(self):\n    import os\n    self.stop("b")\n    self.status = "chosen"\n    self.log("one line")\n    return os.getpid()\ndef run_b(self):\n    return 2',
  );
  const outputs = ['a', 'b'].map((name) => ({ name, display_name: name, method: `run_${name}`, types: [] }));
  const run = await runTwice(
    [{ id: 'Mine-1', code, outputs }, ...after('Mine-1.a'), show('Mine-1.b', 'Show-2')],
    { show: 'Mine-1' },
  );
  expect([...run.shown.keys()]).toEqual(['Show-1']);
  const [result] = run.response.outputs.flatMap(({ outputs: all }) =>
    all.filter((output) => output?.component_id === 'Mine-1'),
  );
  expect(result?.artifacts).toMatchObject({ a: { repr: 'chosen' } });
  expect(result?.logs).toMatchObject({ a: [{ message: 'one line' }] });
});

describe('the shared context', () => {
  test('of a replayed vertex is restored', async () => {
    const first = processOf(
      'self.ctx["seen"] = {"pid": os.getpid(), "rate": 2.0}\n    self.ctx["said"] = Message(text="hi")\n    return os.getpid()',
    );
    const second = next(
      '[self.value == self.ctx["seen"]["pid"], type(self.ctx["seen"]["rate"]).__name__, self.ctx["said"].text]',
    );
    expect(await resultAfter(first, second)).toEqual([true, 'float', 'hi']);
  });

  test('is computed again when it holds an object', async () => {
    const first = processOf(
      'class Thing:\n        pid = os.getpid()\n    self.ctx["thing"] = Thing()\n    return os.getpid()',
    );
    const second = next('self.ctx["thing"].pid == self.value == __import__("os").getpid()');
    expect(await resultAfter(first, second)).toBe(true);
  });

  test('is computed again when a set would return as a list', async () => {
    const first = processOf('self.ctx["seen"] = {1}\n    return os.getpid()');
    expect(await resultAfter(first, next('type(self.ctx["seen"]).__name__'))).toBe('set');
  });
});

test('a file in the folder of the process is written again', async () => {
  const first = processOf('open("kept.txt", "w").write("kept")\n    return os.path.abspath("kept.txt")');
  expect(await resultAfter(first, next('open(self.value).read()'))).toBe('kept');
});

test('a component that returns an object runs in each attempt', async () => {
  const store = component(
    '',
    one,
    `def run_it(self):
    class Store:
        def __init__(self):
            self.items = []
    return Store()`,
  );
  // It changes the object and returns data: its change would be lost if only its result were replayed.
  const add = next('[self.value.items.append("one"), len(self.value.items)]');
  const run = await runTwice([
    mine(store),
    { id: 'Add-1', code: add, outputs: saved, from: { value: 'Mine-1.result' } },
    { id: 'Fails-1', from: { value: 'Add-1.result' } },
    {
      id: 'Read-1',
      code: component(
        `${valueInput}, HandleInput(name="after", input_types=["Data"])`,
        one,
        'def run_it(self):\n    return self.value.items',
      ),
      outputs: saved,
      from: { value: 'Mine-1.result', after: 'Fails-1.value' },
    },
    show('Read-1.result'),
  ]);
  expect(shownIn(run)).toEqual(['one']);
});

test('a tool is made again in each attempt, and a vertex that used it is replayed', async () => {
  const tool = component(
    'MessageTextInput(name="city", tool_mode=True, info="A city")',
    one,
    'def run_it(self) -> Message:\n    """Looks up a city."""\n    return Message(text=f"{self.city} is sunny")',
  );
  const outputs = [
    {
      name: 'component_as_tool',
      display_name: 'Toolset',
      method: 'to_toolkit',
      types: ['Tool'],
      cache: true,
    },
  ];
  const caller = defineComponent({
    type: 'Calls',
    displayName: 'Calls',
    description: 'Calls a tool after the failure.',
    inputs: { tools: handle(), after: handle() },
    outputs: { value: { types: [] } },
    deterministic: false,
    run: async ({ tools, after: earlier }) => {
      const [found] = [tools].flat() as readonly PythonValue[];
      if (!isToolHandle(found)) throw new Error('It is no tool.');
      return { value: [earlier, await found.call({ city: 'Rome' })] };
    },
  });
  const agent = component(
    'HandleInput(name="tools", input_types=["Tool"], is_list=True)',
    one,
    'def run_it(self):\n    import uuid\n    self.tools[0].invoke({"city": "Oslo"})\n    return str(uuid.uuid4())',
  );
  const seen: PythonValue[] = [];
  const keeps = defineComponent({
    type: 'Keeps',
    displayName: 'Keeps',
    description: 'Keeps what each attempt saw.',
    inputs: { value: handle() },
    outputs: { value: { types: [] } },
    deterministic: false,
    run: ({ value }) => {
      seen.push(value);
      return { value };
    },
  });
  const run = await runTwice(
    [
      { id: 'Mine-1', code: tool, outputs, fields: { city: '' } },
      { id: 'Agent-1', code: agent, outputs: saved, from: { tools: ['Mine-1.component_as_tool'] } },
      { id: 'Keeps-1', from: { value: 'Agent-1.result' } },
      { id: 'Fails-1', from: { value: 'Keeps-1.value' } },
      { id: 'Calls-1', from: { tools: 'Mine-1.component_as_tool', after: 'Fails-1.value' } },
      show('Calls-1.value'),
    ],
    { components: [caller, keeps] },
  );
  expect(seen).toHaveLength(2);
  expect(seen[1]).toBe(seen[0]);
  expect(shownIn(run)).toEqual([seen[0], 'Rome is sunny']);
});

test('a vertex that returns an unread stream runs in each attempt', async () => {
  const code = component(
    '',
    one,
    'def run_it(self):\n    import os\n    def parts():\n        yield str(os.getpid())\n        yield "."\n    return Message(text=parts())',
  );
  const run = await runTwice([mine(code), ...after('Mine-1.result')]);
  expect((shownIn(run) as Message).text).toMatch(/^\d+\.$/);
});
