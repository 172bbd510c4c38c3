import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import type { ChatMemory } from './chat-memory';

/** A message to store; empty texts mean the run's session, "Machine" and "AI". */
export interface NewMessage {
  readonly text: string;
  readonly sender: string;
  readonly senderName: string;
  readonly sessionId: string;
  readonly contextId: string;
}

/**
 * Stores a message and returns it as stored. With an external memory it returns what Langflow returns: the first
 * message of the same session and sender, which is the new one only when it is the sender's first.
 */
export async function storeInSession(
  newMessage: NewMessage,
  memory: ChatMemory | null,
  context: ComponentContext,
): Promise<Message> {
  const sender = newMessage.sender || 'Machine';
  const senderName = newMessage.senderName || 'AI';
  const sessionId = newMessage.sessionId || context.run.sessionId;
  const { text, contextId } = newMessage;
  const message = new Message({ text, sender, senderName, sessionId, contextId });
  if (memory === null) {
    const stored = await context.storeMessage(message);
    return stored.with({ extra: { ...stored.fields.extra, ...rowMembers(context) } });
  }
  const first = await storeExternally(message, memory, context);
  if (first === undefined) {
    throw new ComponentError(
      'No messages were stored. Please ensure that the session ID and sender are properly set.',
    );
  }
  return first;
}

/** What Langflow gives with a message that it read from its own store, beside the members of a message. */
export function rowMembers({ run }: ComponentContext): PythonObject {
  return { user_id: run.userId, is_output: false };
}

async function storeExternally(
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
