import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { Message } from '@millrace/python-text';
import type { ChatMessage } from '../../integrations/models/chat-message';
import { messageImages } from './message-images';

/**
 * Returns the messages for a model: the system message first, then the input with its images, in the role of its
 * sender.
 */
export async function chatMessages(
  input: Message | null,
  systemMessage: string,
  context: ComponentContext,
): Promise<readonly ChatMessage[]> {
  const content = input?.text ?? '';
  const images = await messageImages(input, context);
  if (content === '' && systemMessage === '' && images.length === 0) {
    throw new ComponentError('The message you want to send to the model is empty.');
  }
  const messages: ChatMessage[] = [];
  if (systemMessage !== '') messages.push({ role: 'system', content: systemMessage });
  if (content === '' && images.length === 0) return messages;
  messages.push(
    input?.fields.sender === 'Machine' ? { role: 'assistant', content } : { role: 'user', content, images },
  );
  return messages;
}
