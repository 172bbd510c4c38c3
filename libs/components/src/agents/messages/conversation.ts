import type { ComponentContext } from '@millrace/flow';
import type { Data, Message } from '@millrace/python-text';
import type { ChatMessage } from '../../integrations/models/chat-message';
import type { AttachmentBudget } from '../../language-models/calls/attachment-budget';
import { earlierAttachments } from '../../language-models/calls/attachments';
import type { Attachments } from '../../language-models/calls/attachments';

/** One earlier message of a conversation. */
export interface EarlierMessage extends Attachments {
  readonly text: string;
  readonly isFromMachine: boolean;
}

/** The question for a blank input. */
const blankQuestionText = 'Continue the conversation.';

/** Returns the newest messages of the run's session, without the question itself. */
export async function sessionHistory(
  question: Message | null,
  {
    budget,
    ...limits
  }: { readonly count: number; readonly contextId: string; readonly budget: AttachmentBudget },
  context: ComponentContext,
): Promise<readonly EarlierMessage[]> {
  if (limits.count <= 0) return [];
  const messages = await context.readMessages({
    sessionId: question?.fields.sessionId || context.run.sessionId,
    limit: limits.count,
    order: 'ascending',
    ...(limits.contextId === '' ? {} : { contextId: limits.contextId }),
  });
  return withFiles(
    messages
      .filter(({ fields }) => fields.id === null || fields.id !== question?.fields.id)
      .map(({ text, fields }) => ({ text, isFromMachine: !isFromUser(fields.sender), files: fields.files })),
    context,
    budget,
  );
}

/** Messages of failed vertices have a sender of their own. */
const isFromUser = (sender: string | null): boolean => sender === 'User' || sender === null || sender === '';

/** Returns a history that an edge supplies. */
export function connectedHistory(
  items: readonly Data[],
  context: ComponentContext,
  budget: AttachmentBudget,
): Promise<readonly EarlierMessage[]> {
  // Other data is no history.
  const messages = items.every(({ data }) => Object.hasOwn(data, 'sender')) ? items : [];
  return withFiles(
    messages.map(({ data: { text, sender, files } }) => ({
      text: typeof text === 'string' ? text : '',
      isFromMachine: sender === 'Machine',
      files: Array.isArray(files) ? files.filter((file) => typeof file === 'string') : [],
    })),
    context,
    budget,
  );
}

/** Reads the files of messages of users. */
async function withFiles(
  messages: readonly (Omit<EarlierMessage, keyof Attachments> & { readonly files: readonly string[] })[],
  context: ComponentContext,
  budget: AttachmentBudget,
): Promise<readonly EarlierMessage[]> {
  const files = messages.map((message) => (message.isFromMachine ? [] : message.files));
  const attachments = await earlierAttachments(files, context, budget);
  return messages.map(({ text, isFromMachine }, index) => ({
    text,
    isFromMachine,
    images: attachments[index]?.images ?? [],
    texts: attachments[index]?.texts ?? [],
  }));
}

/** Returns the messages for a model: the system prompt, the history and the question. */
export function conversation(
  systemPrompt: string,
  history: readonly EarlierMessage[],
  question: string,
  attachments: Attachments = { images: [], texts: [] },
): readonly ChatMessage[] {
  const messages: ChatMessage[] = [];
  if (systemPrompt !== '') messages.push({ role: 'system', content: systemPrompt });
  for (const { text, isFromMachine, images, texts } of history) {
    if (text.trim() === '' && images.length === 0 && texts.length === 0) continue;
    messages.push(isFromMachine ? { role: 'assistant', content: text } : userTurn(text, { images, texts }));
  }
  const isBlank = question.trim() === '' && attachments.images.length === 0 && attachments.texts.length === 0;
  messages.push(userTurn(isBlank ? blankQuestionText : question, attachments));
  return messages;
}

function userTurn(content: string, { images, texts }: Attachments): ChatMessage {
  return { role: 'user', content, images, texts };
}
