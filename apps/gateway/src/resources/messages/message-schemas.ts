import {
  anyObject,
  closedObject,
  flag,
  integer,
  listOf,
  orNull,
  text,
  uuid,
  namedObject,
} from '@millrace/messages';

const members = {
  id: uuid,
  flow_id: orNull(uuid),
  timestamp: text,
  sender: text,
  sender_name: text,
  session_id: text,
  context_id: orNull(text),
  text,
  edit: flag,
  properties: anyObject,
  category: text,
  content_blocks: listOf({}),
  session_metadata: {},
};

/** A message in a list or of a renamed session: its files are JSON text. */
export const listedMessageSchema = namedObject('Message', {
  ...members,
  files: text,
  duration: orNull({ type: 'number' }),
});

export const sessionsDeletedSchema = closedObject({ message: text, deleted_count: integer });

/** A message in the response to its change. */
export const editedMessageSchema = namedObject('EditedMessage', {
  ...members,
  files: listOf(text),
  error: flag,
  run_id: orNull(uuid),
});
