import type { ComponentContext, Data, Message } from '@millrace/flow';
import type { ChatImage, ChatMessage } from '../language-models/chat-message';

/** Somebody's words, before anybody asks for more. */
export interface Said {
  readonly text: string;
  readonly byMachine: boolean;
}

/** What an agent asks when it was given nothing to ask. */
const nothingSaid = 'Continue the conversation.';

/** The newest messages of the run's session, without the one that is the question. */
export async function sessionHistory(
  question: Message | null,
  limits: { readonly count: number; readonly contextId: string },
  context: ComponentContext,
): Promise<readonly Said[]> {
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
    .map(({ text, fields }) => ({ text, byMachine: fields.sender === 'Machine' }));
}

/** A history that a wire brings. */
export function wiredHistory(items: readonly Data[]): readonly Said[] {
  return items.map(({ data }) => ({
    text: typeof data['text'] === 'string' ? data['text'] : '',
    byMachine: data['sender'] === 'Machine',
  }));
}

/** What a model is sent: who it is, what was said before, and the question. */
export function conversation(
  systemPrompt: string,
  history: readonly Said[],
  question: string,
  images: readonly ChatImage[],
): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  if (systemPrompt !== '') messages.push({ role: 'system', content: systemPrompt });
  for (const { text, byMachine } of history) {
    if (text.trim() !== '') messages.push({ role: byMachine ? 'assistant' : 'user', content: text });
  }
  messages.push({ role: 'user', content: question.trim() === '' ? nothingSaid : question, images });
  return messages;
}
