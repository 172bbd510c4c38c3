import { toolCallsOf } from '../conversations/tool-calls';
import { LiveState } from './live-run';

test.each([
  ['partial', { type: 'tool_use', name: 'add', contents: [] }],
  ['complete', { type: 'group', contents: [{ type: 'tool_use', name: 'add', contents: [] }] }],
])('a live message that is %s shows its tool calls', (_, block) => {
  const live = new LiveState();
  live.apply({ event: 'add_message', data: { data: { id: 'm', text: '' }, content_blocks: [block] } });
  const [message] = live.snapshot().messages;
  expect(toolCallsOf(message?.blocks ?? []).map(({ name }) => name)).toEqual(['add']);
});
