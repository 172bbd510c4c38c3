import type { ComponentContext } from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import type { ChatMessage } from '../../integrations/models/chat-message';
import { messageAttachments } from './attachments';

/**
 * Returns the messages for a model: the system message first, then the input with its files, in the role of its
 * sender. An empty input is sent, too, as by Langflow.
 */
export async function chatMessages(
  input: Message | null,
  systemMessage: string,
  context: ComponentContext,
): Promise<readonly ChatMessage[]> {
  const content = input?.text ?? '';
  const isFromMachine = input?.fields.sender === 'Machine';
  const { images, texts } = await messageAttachments(isFromMachine ? null : input, context);
  const messages: ChatMessage[] = [];
  if (systemMessage !== '') messages.push({ role: 'system', content: systemMessage });
  messages.push(isFromMachine ? { role: 'assistant', content } : { role: 'user', content, images, texts });
  return messages;
}
