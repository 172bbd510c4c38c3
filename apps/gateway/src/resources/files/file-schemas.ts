import { closedObject, listOf, orNull, text, uuid, integer, namedObject } from '@millrace/messages';

/** A file that was uploaded for a flow. */
export const flowFileSchema = namedObject('FlowFile', { flowId: uuid, file_path: text });
export const flowFileListSchema = closedObject({ files: listOf(text) });

const members = { id: uuid, name: text, path: text, size: integer, provider: orNull(text) };
/** A file of a user that belongs to no flow. */
export const userFileSchema = namedObject('UserFile', members);
export const userFileListSchema = listOf(
  closedObject({ ...members, user_id: uuid, created_at: text, updated_at: text }),
);
export const fileDeletedSchema = closedObject({ message: text });
