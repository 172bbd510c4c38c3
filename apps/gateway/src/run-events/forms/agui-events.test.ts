import { AguiEvents } from './agui-events';
import type { AguiEventsOptions } from './agui-events';

const options: AguiEventsOptions = { runId: 'r', threadId: 's', showsGraph: false, after: null };
const event = (name: string, data: object) => ({
  id: 1,
  text: JSON.stringify({ event: name, data }),
});
const token = (id: string, chunk: string) => event('token', { id, chunk });
const message = (id: string, text: string, more: object = {}) =>
  event('add_message', { id, text, sender: 'Machine', ...more });
const completed = [JSON.stringify({ event: 'end', data: { result: { status: 'completed', errors: [] } } })];

type Event = ReturnType<typeof event>;

interface Shown {
  readonly id: number;
  readonly type: string;
  readonly messageId?: string;
  readonly delta?: unknown;
}

function stream(events: readonly Event[], closing = completed, changes: Partial<AguiEventsOptions> = {}) {
  const form = new AguiEvents({ ...options, ...changes });
  return [...form.opening(), ...form.running(events), ...form.closing(closing, false)].map(
    ({ id, text }): Shown => ({ id, ...(JSON.parse(text) as Omit<Shown, 'id'>) }),
  );
}

const brief = (events: readonly Shown[]) =>
  events.map(({ type, messageId, delta }) => [type, messageId, delta].filter(Boolean).join(' '));

test('a message without tokens is one text message; messages of users are not shown', () => {
  const events = stream([message('u', 'hi', { sender: 'User' }), message('m', 'hi')]);
  expect(events).toEqual([
    { id: 0, type: 'RUN_STARTED', threadId: 's', runId: 'r' },
    { id: 1, type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' },
    { id: 2, type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'hi' },
    { id: 3, type: 'TEXT_MESSAGE_END', messageId: 'm' },
    { id: 4, type: 'RUN_FINISHED', threadId: 's', runId: 'r' },
  ]);
});

test('tokens open a message that its whole text ends', () => {
  const partial = message('m', '', { properties: { state: 'partial' } });
  const events = stream([partial, token('m', 'a'), token('m', 'b'), message('m', 'ab'), token('m', 'late')]);
  expect(brief(events)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START m',
    'TEXT_MESSAGE_CONTENT m a',
    'TEXT_MESSAGE_CONTENT m b',
    'TEXT_MESSAGE_END m',
    'RUN_FINISHED',
  ]);
});

test('a message waits while another one is open', () => {
  const events = stream([
    token('a', '1'),
    token('b', '2'),
    message('c', 'whole'),
    token('b', '3'),
    message('a', '1'),
    token('b', '4'),
  ]);
  expect(brief(events).slice(1, -1)).toEqual([
    'TEXT_MESSAGE_START a',
    'TEXT_MESSAGE_CONTENT a 1',
    'TEXT_MESSAGE_END a',
    'TEXT_MESSAGE_START b',
    'TEXT_MESSAGE_CONTENT b 23',
    'TEXT_MESSAGE_CONTENT b 4',
    'TEXT_MESSAGE_END b',
    'TEXT_MESSAGE_START c',
    'TEXT_MESSAGE_CONTENT c whole',
    'TEXT_MESSAGE_END c',
  ]);
});

test('the end of the run ends the open message and those that wait, in their order', () => {
  const events = stream([token('a', '1'), token('b', '2'), message('c', 'whole'), token('d', '4')]);
  expect(brief(events).slice(1, -1)).toEqual([
    'TEXT_MESSAGE_START a',
    'TEXT_MESSAGE_CONTENT a 1',
    'TEXT_MESSAGE_END a',
    'TEXT_MESSAGE_START b',
    'TEXT_MESSAGE_CONTENT b 2',
    'TEXT_MESSAGE_END b',
    'TEXT_MESSAGE_START c',
    'TEXT_MESSAGE_CONTENT c whole',
    'TEXT_MESSAGE_END c',
    'TEXT_MESSAGE_START d',
    'TEXT_MESSAGE_CONTENT d 4',
    'TEXT_MESSAGE_END d',
  ]);
});

test('a removed message that waits is not sent', () => {
  const events = stream([
    token('a', '1'),
    token('b', '2'),
    event('remove_message', { id: 'b' }),
    token('b', '3'),
  ]);
  expect(brief(events).filter((text) => text.includes(' b'))).toEqual([]);
  expect(events[3]).toMatchObject({ name: 'langflow.message.removed', value: { message_id: 'b' } });
});

test('a tool call is started once and answered once', () => {
  const call = { type: 'tool_use', name: 'add', tool_input: { a: 1 }, output: null };
  const blocks = (content: object) => ({ content_blocks: [{ title: 'Steps', contents: [content] }] });
  const partial = { properties: { state: 'partial' } };
  const events = stream([
    message('m', '', { ...partial, ...blocks(call) }),
    message('m', '', { ...partial, ...blocks({ ...call, output: { sum: 2 } }) }),
    message('m', 'done', blocks({ ...call, output: { sum: 2 } })),
  ]);
  const toolCallId = 'm:tool:ord:0';
  expect(events.slice(1, 5)).toEqual([
    { id: 1, type: 'TOOL_CALL_START', toolCallId, toolCallName: 'add', parentMessageId: 'm' },
    { id: 2, type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"a": 1}' },
    { id: 3, type: 'TOOL_CALL_END', toolCallId },
    { id: 4, type: 'TOOL_CALL_RESULT', messageId: 'm', toolCallId, content: '{"sum": 2}' },
  ]);
  expect(events.filter(({ type }) => type.startsWith('TOOL'))).toHaveLength(4);
});

test('other contents are shown when they change', () => {
  const blocks = (code: string) => ({ content_blocks: [{ title: 'T', contents: [{ type: 'code', code }] }] });
  const events = stream([
    message('m', '', blocks('1')),
    message('m', '', blocks('1')),
    message('m', 'x', blocks('2')),
  ]);
  const shown = events.filter(({ type }) => type === 'CUSTOM');
  expect(shown).toMatchObject([
    { name: 'langflow.content.code', value: { message_id: 'm', block_title: 'T', content: { code: '1' } } },
    { value: { content: { code: '2' } } },
  ]);
});

test('vertices and logs are shown when the caller asks for them', () => {
  const events = [
    event('vertices_sorted', { ids: ['A'], to_run: ['A', 'B/1'] }),
    event('build_start', {}),
    event('build_start', { id: 'A' }),
    event('log', { name: 'n' }),
    event('end_vertex', {
      build_data: { id: 'A', valid: true, data: { x: 1 }, inactivated_vertices: ['B/1'] },
    }),
  ];
  expect(brief(stream(events))).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
  expect(stream(events, completed, { showsGraph: true }).slice(1, -1)).toMatchObject([
    { type: 'STATE_SNAPSHOT', snapshot: { nodes: {} } },
    {
      type: 'STATE_SNAPSHOT',
      snapshot: { nodes: { A: { status: 'pending' }, 'B/1': { status: 'pending' } } },
    },
    { type: 'STEP_STARTED', stepName: 'A' },
    { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/nodes/A', value: { status: 'running' } }] },
    { type: 'CUSTOM', name: 'langflow.log' },
    { type: 'STEP_FINISHED', stepName: 'A' },
    {
      type: 'STATE_DELTA',
      delta: [
        { path: '/nodes/A', value: { status: 'success', output: { x: 1 } } },
        { path: '/nodes/B~11', value: { status: 'inactive' } },
      ],
    },
  ]);
});

test('another attempt ends the open message', () => {
  const events = stream([token('a', '1'), event('restart', { attempt: 2 }), message('b', '1')]);
  expect(brief(events).slice(1, 5)).toEqual([
    'TEXT_MESSAGE_START a',
    'TEXT_MESSAGE_CONTENT a 1',
    'TEXT_MESSAGE_END a',
    'CUSTOM',
  ]);
});

describe('the end of a run', () => {
  const end = (result: object) => [JSON.stringify({ event: 'end', data: { result } })];

  test.each([
    [end({ status: 'failed', errors: [{ error: 'It broke.', code: 'COMPONENT_FAILED' }] }), 'It broke.'],
    [[], 'The run ended without a result.'],
  ])('that failed or was lost is an error: %j', (closing, text) => {
    expect(stream([token('a', '1')], closing).slice(-2)).toMatchObject([
      { type: 'TEXT_MESSAGE_END' },
      { type: 'RUN_ERROR', message: text },
    ]);
  });

  test('whose vertex failed has the error of the vertex before it finishes', () => {
    const failure = event('error', { text: 'It broke.\n' });
    const ending = end({ status: 'failed', errors: [{ error: 'Error running graph: It broke.' }] });
    const ends = event('end_vertex', { build_data: { id: 'v', valid: false } });
    expect(stream([token('a', '1'), failure, ends], ending, { showsGraph: true }).slice(4)).toMatchObject([
      { type: 'TEXT_MESSAGE_END' },
      { type: 'RUN_ERROR', message: 'It broke.' },
      { type: 'STEP_FINISHED' },
      { type: 'STATE_DELTA' },
      { type: 'RUN_FINISHED' },
    ]);
    const restarted = [failure, event('restart', { attempt: 2 }), message('b', '1')];
    expect(brief(stream(restarted)).slice(1)).toEqual([
      'CUSTOM',
      'TEXT_MESSAGE_START b',
      'TEXT_MESSAGE_CONTENT b 1',
      'TEXT_MESSAGE_END b',
      'RUN_FINISHED',
    ]);
  });

  test('that was cancelled is announced before it finishes', () => {
    const events = stream([], end({ status: 'cancelled', errors: [] }));
    expect(events.slice(1)).toMatchObject([{ name: 'langflow.run.cancelled' }, { type: 'RUN_FINISHED' }]);
  });

  test('reaches a caller who resumes after the events are no longer kept', () => {
    expect(stream([], completed, { after: 7 }).at(-1)).toMatchObject({ id: 8, type: 'RUN_FINISHED' });
    expect(stream([], completed, { after: 1 }).at(-1)).toMatchObject({ id: 1 });
  });
});
