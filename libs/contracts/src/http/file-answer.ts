import { closed, listOf, orNull, text, uuid, whole } from './answer-schema';

/** A file that was uploaded for a flow. */
export const flowFileSchema = closed({ flowId: uuid, file_path: text });
export const flowFileListSchema = closed({ files: listOf(text) });

const members = { id: uuid, name: text, path: text, size: whole, provider: orNull(text) };
/** A file of a user that belongs to no flow. */
export const userFileSchema = closed(members);
export const userFileListSchema = listOf(
  closed({ ...members, user_id: uuid, created_at: text, updated_at: text }),
);
export const fileDeletedSchema = closed({ message: text });
