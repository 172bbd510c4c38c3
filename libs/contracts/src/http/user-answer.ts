import { closed, flag, listOf, text, uuid, whole } from './answer-schema';

const members = {
  id: uuid,
  username: text,
  is_active: { const: true },
  is_superuser: flag,
  create_at: text,
};

export const userSchema = closed(members);
export const userListSchema = closed({ total_count: whole, users: listOf(userSchema) });

/** A new user, with the first key: it is shown this once. */
export const createdUserSchema = closed({ ...members, api_key: text });
