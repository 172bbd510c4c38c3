import { ComponentError, Message } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { ChatMemory } from './chat-memory';

/** What is to be remembered; empty texts mean: the run's session, "Machine" and "AI". */
export interface Remembered {
  readonly text: string;
  readonly sender: string;
  readonly senderName: string;
  readonly sessionId: string;
  readonly contextId: string;
}

/** How far back the first message of a session is looked for. */
const mostMessages = 1000;

/**
 * Stores a message, in a memory of its own if there is one, and gives what Langflow gives: the first stored message of the same session and sender, which is the
 * new one only when the sender says something for the first time.
 */
export async function storeInSession(
  remembered: Remembered,
  memory: ChatMemory | null,
  context: ComponentContext,
): Promise<Message> {
  const sender = remembered.sender || 'Machine';
  const senderName = remembered.senderName || 'AI';
  const sessionId = remembered.sessionId || context.run.sessionId;
  const { text, contextId } = remembered;
  const message = new Message({ text, sender, senderName, sessionId, contextId });
  const first =
    memory === null ? await storeHere(message, context) : await storeThere(message, memory, context);
  if (first === undefined) {
    throw new ComponentError(
      'No messages were stored. Please ensure that the session ID and sender are properly set.',
    );
  }
  return first;
}

async function storeHere(message: Message, context: ComponentContext): Promise<Message | undefined> {
  const { sessionId, sender, senderName } = message.fields;
  await context.storeMessage(message);
  const [first] = await context.readMessages({
    sessionId,
    limit: mostMessages,
    order: 'ascending',
    ...(sender === null ? {} : { sender }),
    ...(senderName === null ? {} : { senderName }),
  });
  return first;
}

async function storeThere(
  message: Message,
  memory: ChatMemory,
  context: ComponentContext,
): Promise<Message | undefined> {
  const { sessionId, sender } = message.fields;
  await context.effect('store', async () => {
    await memory.add(sessionId, message, context);
    return null;
  });
  const stored = await memory.read(sessionId, context);
  return stored.find(({ fields }) => fields.sender === sender);
}
