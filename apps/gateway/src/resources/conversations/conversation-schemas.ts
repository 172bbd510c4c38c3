import { closedObject, flag, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';
import { runStatusSchema } from '../runs/run-statuses';

/** A session of a flow, with its last run and the beginning of its last message. */
export const conversationListSchema = namedObject('ConversationList', {
  conversations: listOf(
    closedObject({
      flow_id: uuid,
      session_id: text,
      last_run: closedObject({ id: uuid, status: runStatusSchema, accepted_at: text }),
      last_message: orNull(closedObject({ sender: text, sender_name: text, text, timestamp: text })),
    }),
  ),
  next_cursor: orNull(text),
});

/** Messages of a session, newest first. `cut` says that a text is longer. */
export const conversationMessagesSchema = namedObject('ConversationMessages', {
  messages: listOf(
    closedObject({
      id: uuid,
      run_id: orNull(uuid),
      timestamp: text,
      sender: text,
      sender_name: text,
      text,
      cut: flag,
      error: flag,
      files: listOf(text),
      content_blocks: listOf({}),
    }),
  ),
  next_cursor: orNull(text),
});
