import { closedObject, flag, listOf, text, uuid, integer } from '@millrace/messages';

const members = {
  id: uuid,
  username: text,
  is_active: { const: true },
  is_superuser: flag,
  create_at: text,
};

export const userSchema = closedObject(members);
export const userListSchema = closedObject({ total_count: integer, users: listOf(userSchema) });

/** A new user with their first key, which is shown only in this response. */
export const createdUserSchema = closedObject({ ...members, api_key: text });
