import { findInputTweakConflict } from '../index';
import type { Tweaks } from '../index';
import type { InputType } from '../run/run-request';

function conflict(type: InputType, tweaks: Tweaks): string | null {
  return findInputTweakConflict({
    form: 'simple',
    inputs: [{ components: [], inputValue: 'a', type }],
    outputs: { by: 'type', type: 'chat' },
    tweaks,
    stream: false,
    sessionId: 's',
    globalVariables: {},
  });
}

const chat = 'If you pass an input_value to the chat input, you cannot pass a tweak with the same name.';

test('an input and a tweak whose key contains the name of the same input conflict', () => {
  expect(conflict('chat', { 'ChatInput-a1': { input_value: 'z' } })).toBe(chat);
  expect(conflict('chat', { myChatInputXX: { input_value: '' } })).toBe(chat);
  expect(conflict('text', { 'Text Input': { input_value: 'z' } })).toBe(chat.replace('chat', 'text'));
});

test('other types, keys and fields, and null, do not conflict', () => {
  expect(conflict('any', { 'ChatInput-a1': { input_value: 'z' } })).toBeNull();
  expect(conflict('text', { 'ChatInput-a1': { input_value: 'z' } })).toBeNull();
  expect(conflict('chat', { 'ChatInput-a1': { sender: 'z' } })).toBeNull();
  expect(conflict('chat', { 'ChatInput-a1': { input_value: null } })).toBeNull();
  expect(conflict('chat', { ChatInput: 'z' })).toBeNull();
});
