import { ComponentError } from '@millrace/flow';
import type { Message } from '@millrace/flow';
import type { ChatMessage } from './chat-message';

/** What is sent to a model: the system message first, then the input, as its sender said it. */
export function chatMessages(input: Message | null, systemMessage: string): readonly ChatMessage[] {
  const said = input?.text ?? '';
  if (said === '' && systemMessage === '') {
    throw new ComponentError('The message you want to send to the model is empty.');
  }
  const messages: ChatMessage[] = [];
  if (systemMessage !== '') messages.push({ role: 'system', content: systemMessage });
  if (said !== '') {
    messages.push({ role: input?.fields.sender === 'Machine' ? 'assistant' : 'user', content: said });
  }
  return messages;
}
