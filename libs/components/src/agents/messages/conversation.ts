import type { ComponentContext } from '@millrace/flow';
import type { Data, Message } from '@millrace/python-text';
import type { ChatImage, ChatMessage } from '../../integrations/models/chat-message';

/** One earlier message of a conversation. */
export interface EarlierMessage {
  readonly text: string;
  readonly isFromMachine: boolean;
}

/** The question for a blank input. */
const blankQuestionText = 'Continue the conversation.';

/** Returns the newest messages of the run's session, without the question itself. */
export async function sessionHistory(
  question: Message | null,
  limits: { readonly count: number; readonly contextId: string },
  context: ComponentContext,
): Promise<readonly EarlierMessage[]> {
  if (limits.count <= 0) return [];
  const messages = await context.readMessages({
    sessionId: question?.fields.sessionId || context.run.sessionId,
    limit: limits.count,
    order: 'ascending',
    ...(limits.contextId === '' ? {} : { contextId: limits.contextId }),
  });
  return messages
    .filter(({ fields }) => fields.category !== 'error')
    .filter(({ fields }) => fields.id === null || fields.id !== question?.fields.id)
    .map(({ text, fields }) => ({ text, isFromMachine: fields.sender === 'Machine' }));
}

/** Returns a history that an edge supplies. */
export function connectedHistory(items: readonly Data[]): readonly EarlierMessage[] {
  return items.map(({ data }) => ({
    text: typeof data['text'] === 'string' ? data['text'] : '',
    isFromMachine: data['sender'] === 'Machine',
  }));
}

/** Returns the messages for a model: the system prompt, the history and the question. */
export function conversation(
  systemPrompt: string,
  history: readonly EarlierMessage[],
  question: string,
  images: readonly ChatImage[],
): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  if (systemPrompt !== '') messages.push({ role: 'system', content: systemPrompt });
  for (const { text, isFromMachine } of history) {
    if (text.trim() !== '') messages.push({ role: isFromMachine ? 'assistant' : 'user', content: text });
  }
  messages.push({ role: 'user', content: question.trim() === '' ? blankQuestionText : question, images });
  return messages;
}
