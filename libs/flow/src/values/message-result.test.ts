import { Message, messageData } from '@millrace/python-text';
import { chatOutputResponse, messageArtifacts, messageToEventData, messageToResult } from '../index';

const properties = {
  text_color: null,
  background_color: null,
  edited: false,
  source: { id: 'ChatInput-3HUEc', display_name: 'Chat Input', source: 'Chat Input' },
  icon: null,
  allow_markdown: false,
  positive_feedback: null,
  state: 'complete',
  targets: [],
  usage: null,
  build_duration: null,
} as const;

const stored = new Message({
  text: 'a\n\nb\nc',
  sender: 'Machine',
  senderName: 'AI',
  sessionId: 's-1',
  flowId: 'flow',
  runId: 'run',
  timestamp: '2026-11-20 15:13:56.348659 UTC',
  sessionMetadata: { graph_run_id: 'run' },
  id: 'message',
  properties,
});

test('the members of a stored message are in the order of its row, nested and then flattened', () => {
  const result = messageToResult(stored);
  expect(Object.keys(result).join(' ')).toBe(
    'text_key data default_value sender sender_name files session_id context_id run_id timestamp flow_id error edit ' +
      'properties category content_blocks duration session_metadata text',
  );
  expect(Object.keys(result.data).join(' ')).toBe(
    'timestamp sender sender_name session_id context_id text files error edit properties category content_blocks ' +
      'session_metadata id flow_id run_id duration',
  );
  expect(result).toMatchObject({
    text: stored.text,
    run_id: 'run',
    data: { id: 'message', text: stored.text },
  });
});

test('a message that was not stored has no id, and its members are in the order of the class', () => {
  const { data } = messageToResult(new Message({ text: 'hush', sender: 'Machine', senderName: 'Silent' }));
  expect(Object.keys(data).join(' ')).toBe(
    'text files sender sender_name session_id context_id run_id timestamp flow_id error edit properties category ' +
      'content_blocks duration session_metadata',
  );
});

test('additional members of a component are last in data and change nothing else', () => {
  const message = new Message({ text: 'x', extra: { prompt: { a: 1 }, text: 'other' } });
  expect(Object.entries(messageData(message)).at(-1)).toEqual(['prompt', { a: 1 }]);
  expect(messageData(message).text).toBe('x');
  expect(Object.keys(messageData(message.with({ id: 'stored' }))).at(-1)).toBe('prompt');
});

test('the last member of an event is the id', () => {
  const event = messageToEventData(stored);
  expect(Object.entries(event).at(-1)).toEqual(['id', 'message']);
});

test('while the text is streaming, only the outer state is partial', () => {
  const partial = stored.with({ properties: { ...properties, state: 'partial' } });
  const event = messageToEventData(partial);
  expect([event.properties.state, event.data.properties.state]).toEqual(['partial', 'complete']);
});

test('messages and artifacts double the newlines of the machine', () => {
  expect(chatOutputResponse(stored, 'ChatOutput-1')).toEqual({
    message: 'a\n\nb\n\nc',
    sender: 'Machine',
    sender_name: 'AI',
    session_id: 's-1',
    stream_url: null,
    component_id: 'ChatOutput-1',
    files: [],
    type: 'text',
  });
  expect(messageArtifacts(stored)).toEqual({
    message: 'a\n\nb\n\nc',
    sender: 'Machine',
    sender_name: 'AI',
    files: [],
    type: 'object',
  });
  expect(messageArtifacts(stored.with({ sender: 'User' })).message).toBe('a\n\nb\nc');
});

test('a message without a sender counts as the machine’s', () => {
  expect(chatOutputResponse(new Message({ text: 'a\nb' }), 'x')).toMatchObject({
    sender: 'Machine',
    sender_name: 'AI',
    message: 'a\n\nb',
  });
});
