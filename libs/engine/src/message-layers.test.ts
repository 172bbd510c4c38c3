import { RunMoment, compile, defineComponent, parseFlowDocument } from '@millrace/flow';
import type { Plan } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { executePart } from './execute';
import { testRegistry } from './testing/test-components';
import { flowFile, planOf } from './testing/test-flow';
import type { TestNode } from './testing/test-flow';
import { chatRequest, runPlan, testEnvironment, texts } from './testing/test-run';

const debug = { outputs: { by: 'type', type: 'debug' } } as const;
const node = (id: string, values: Readonly<Record<string, unknown>> = {}): TestNode => ({
  id,
  type: id.split('-')[0] ?? '',
  values,
  ...('milliseconds' in values && {
    fields: { milliseconds: { type: 'int', value: values['milliseconds'] } },
  }),
});
const tool = (id: string): TestNode => ({
  ...node(id),
  node: { tool_mode: true, outputs: [{ name: 'component_as_tool', types: ['Tool'] }] },
});

async function seenBy(
  plan: Plan,
  changes: Parameters<typeof runPlan>[2] = {},
): Promise<Readonly<Record<string, unknown>>> {
  return texts((await runPlan(plan, chatRequest('hello', debug), changes)).response);
}

const joined = ['ChatInput-a.message > Join-j.first', 'History-h.text > Join-j.second'];

test.each([
  ['first', [node('ChatInput-a'), node('History-h'), node('Join-j')]],
  ['last', [node('Join-j'), node('History-h'), node('ChatInput-a')]],
])(
  'a reader in the layer of the chat input, which is %s in the file, does not see its message',
  async (_, nodes) => {
    expect(await seenBy(planOf(nodes, joined))).toMatchObject({ 'History-h': '', 'Join-j': 'hello|' });
  },
);

test('a reader sees the messages of earlier layers, connected or not', async () => {
  const plan = planOf(
    [node('ChatInput-a'), node('Slow-s', { milliseconds: 1 }), node('History-h'), node('Join-j')],
    [...joined, 'Slow-s.text > History-h.after'],
  );
  expect(await seenBy(plan)).toMatchObject({ 'History-h': 'hello' });
});

test('a reader waits for the messages of earlier layers, but not of its own layer', async () => {
  const plan = planOf(
    [
      ...['ChatInput-a', 'History-h', 'Join-j', 'Note-beside'].map((id) => node(id)),
      node('Note-slow', { milliseconds: 30 }),
      node('Join-all'),
    ],
    [
      'ChatInput-a.message > Note-beside.text',
      'ChatInput-a.message > History-h.after',
      'Note-slow.noted > Join-all.first',
      'Note-beside.noted > Join-all.second',
      ...joined,
      'Join-j.joined > Join-all.extra',
    ],
  );
  expect(await seenBy(plan)).toMatchObject({ 'History-h': 'hello / Note-slow' });
});

test('a reader does not wait for a vertex of an earlier layer that stores nothing', async () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const gate = defineComponent({
    type: 'Gate',
    displayName: 'Gate',
    description: 'Waits for the opener.',
    inputs: {},
    outputs: { text: { types: ['Message'] } },
    deterministic: false,
    run: () => opened.then(() => ({ text: new Message({ text: 'open' }) })),
  });
  const opener = defineComponent({
    type: 'Opener',
    displayName: 'Opener',
    description: 'Opens the gate.',
    inputs: {},
    outputs: { text: { types: ['Message'] } },
    deterministic: false,
    run: () => {
      open();
      return { text: new Message({ text: 'opened' }) };
    },
  });
  const registry = {
    all: [...testRegistry.all, gate, opener],
    find: (type: string) => (type === 'Gate' ? gate : type === 'Opener' ? opener : testRegistry.find(type)),
  };
  const file = flowFile(
    [node('ChatInput-a'), node('Gate-g'), node('History-h'), node('Opener-o'), node('Join-j')],
    [
      'ChatInput-a.message > History-h.after',
      'History-h.text > Opener-o.after',
      'Gate-g.text > Join-j.first',
      'Opener-o.text > Join-j.second',
    ],
  );
  const plan = compile(parseFlowDocument(file), { flowId: 'f', version: 1, registry });
  expect(await seenBy(plan)).toMatchObject({ 'History-h': 'hello', 'Join-j': 'open|opened' });
});

test('each round of a loop sees the earlier rounds and the messages that its body stored before', async () => {
  const plan = planOf(
    [
      ...['ChatInput-a', 'Loop-l', 'Note-n', 'History-beside', 'History-after', 'Join-j', 'Table-t'].map(
        (id) => node(id),
      ),
      node('History-end'),
    ],
    [
      'ChatInput-a.message > Loop-l.words',
      'Loop-l.item > Note-n.text',
      'Loop-l.item > History-beside.after',
      'Note-n.noted > History-after.after',
      'History-beside.text > Join-j.first',
      'History-after.text > Join-j.second',
      'Join-j.joined > Loop-l.item',
      'Loop-l.done > Table-t.table',
      'Table-t.text > History-end.after',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('x y', debug));
  expect(texts(response)).toMatchObject({
    'Table-t': 'x y|x y / x / x y / x|x y / x / y',
    'History-end': 'x y / x / y',
  });
});

test('tools see messages of earlier tool calls of the model, but not of concurrent ones', async () => {
  const plan = planOf(
    [node('ChatInput-a'), tool('Note-n'), tool('History-h'), node('Assistant-s'), node('History-end')],
    [
      'ChatInput-a.message > Assistant-s.after',
      'Note-n.component_as_tool > Assistant-s.tools',
      'History-h.component_as_tool > Assistant-s.tools',
      'Assistant-s.replies > History-end.after',
    ],
  );
  expect(await seenBy(plan)).toMatchObject({
    'Assistant-s': 'first + hello then second + hello / first',
    'History-end': 'hello / first / second',
  });
});

test('a reader waits for messages that the tools of an earlier vertex can store', async () => {
  const plan = planOf(
    [tool('Note-n'), ...['Assistant-s', 'Join-j', 'Join-k', 'History-h', 'Join-all'].map((id) => node(id))],
    [
      'Note-n.component_as_tool > Assistant-s.tools',
      'Join-j.joined > Join-k.first',
      'Join-k.joined > History-h.after',
      'Assistant-s.replies > Join-all.first',
      'History-h.text > Join-all.second',
    ],
  );
  expect(await seenBy(plan)).toMatchObject({ 'History-h': 'first / second' });
});

test('a reader does not wait for a stopped branch, and sees the messages from before the stop', async () => {
  const plan = planOf(
    [
      ...['ChatInput-a', 'Router-r', 'Note-left', 'Note-right', 'History-h'].map((id) => node(id)),
      node('Note-slow', { milliseconds: 10 }),
      node('Join-j'),
    ],
    [
      'ChatInput-a.message > Router-r.input_text',
      'Router-r.left > Note-left.text',
      'Router-r.right > Note-right.text',
      'Note-left.noted > History-h.after',
      'Note-right.noted > History-h.after',
      'Note-slow.noted > Join-j.first',
      'History-h.text > Join-j.second',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('left', debug));
  // The vertex that is slow may store its message before or after the branch that was taken.
  const seen = String(texts(response)['History-h']).split(' / ').sort();
  expect(seen).toEqual(['Note-slow', 'left', 'left']);
});

test('a later round of a cycle sees the messages of earlier rounds', async () => {
  const plan = planOf(
    [
      ...['ChatInput-a', 'Join-j', 'History-h', 'Note-n'].map((id) => node(id)),
      {
        ...node('Until-u'),
        fields: { rounds: { type: 'int', value: 3 }, characters: { type: 'int', value: 999 } },
      },
      node('TextOutput-t'),
    ],
    [
      'ChatInput-a.message > Join-j.first',
      'Join-j.joined > History-h.after',
      'Join-j.joined > Note-n.text',
      'History-h.text > Until-u.input_text',
      'Note-n.noted > Until-u.extra',
      'Until-u.again > Join-j.first',
      'Until-u.enough > TextOutput-t.input_value',
    ],
  );
  const { response } = await runPlan(plan, chatRequest('a', debug));
  expect(texts(response)).toMatchObject({ 'TextOutput-t': 'a / a| / a|' });
});

test('each input of a run sees the messages of earlier inputs', async () => {
  const plan = planOf([node('ChatInput-a'), node('History-h'), node('Join-j')], joined);
  const inputs = ['one', 'two'].map((inputValue) => ({ components: [], inputValue, type: 'chat' as const }));
  const { response } = await runPlan(plan, chatRequest('', { ...debug, inputs }));
  const seen = response.outputs.map((output) => texts({ ...response, outputs: [output] })['History-h']);
  expect(seen).toEqual(['', 'one']);
});

test('a flow that runs as part of a run sees the messages of earlier parts', async () => {
  const part = planOf([node('ChatInput-a'), node('History-h'), node('Join-j')], joined);
  const environment = testEnvironment();
  const moment = new RunMoment();
  const seen: PythonValue[] = [];
  for (const input of ['one', 'two']) {
    const outputs = await executePart(part, chatRequest(input, debug), { ...environment, moment });
    const history = outputs.find(({ vertexId }) => vertexId === 'History-h');
    seen.push(history?.values['text'] ?? null);
  }
  expect(seen.map((value) => value instanceof Message && value.text)).toEqual(['', 'one']);
});

test('a run that fails while a reader waits ends at once', async () => {
  const plan = planOf(
    [
      node('Note-slow', { milliseconds: 60_000 }),
      ...['Slow-s', 'History-h', 'Join-a', 'Failing-f', 'Collect-c'].map((id) => node(id)),
    ],
    [
      'Slow-s.text > History-h.after',
      'Slow-s.text > Failing-f.input_value',
      'History-h.text > Collect-c.texts',
      'Failing-f.text > Collect-c.texts',
      'Note-slow.noted > Collect-c.texts',
    ],
  );
  await expect(runPlan(plan, chatRequest('x', debug))).rejects.toThrow('is out of range');
});

test('a component that stores messages declares it', async () => {
  const plan = planOf([node('Hasty-h')], []);
  await expect(runPlan(plan, chatRequest('x', debug))).rejects.toThrow(
    '"Hasty" stores messages but does not declare',
  );
});
