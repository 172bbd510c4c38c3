import { anyObject, closed, flag, listOf, orNull, text, uuid } from './answer-schema';

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

/** A message as it is listed: its files are JSON text. */
export const listedMessageSchema = closed({ ...members, files: text, duration: orNull({ type: 'number' }) });

/** A message as it is given back after it was changed. */
export const editedMessageSchema = closed({
  ...members,
  files: listOf(text),
  error: flag,
  run_id: orNull(uuid),
});
