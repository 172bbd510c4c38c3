import { ComponentError, Message } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';

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
 * Stores a message and gives what Langflow gives: the first stored message of the same session and sender, which is the
 * new one only when the sender says something for the first time.
 */
export async function storeInSession(remembered: Remembered, context: ComponentContext): Promise<Message> {
  const sender = remembered.sender || 'Machine';
  const senderName = remembered.senderName || 'AI';
  const sessionId = remembered.sessionId || context.run.sessionId;
  const { text, contextId } = remembered;
  await context.storeMessage(new Message({ text, sender, senderName, sessionId, contextId }));
  const [first] = await context.readMessages({
    sessionId,
    sender,
    senderName,
    limit: mostMessages,
    order: 'ascending',
  });
  if (first === undefined) {
    throw new ComponentError(
      'No messages were stored. Please ensure that the session ID and sender are properly set.',
    );
  }
  return first;
}
