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
  username: text,
  profile_image: orNull(text),
  store_api_key: { type: 'null' },
  is_active: flag,
  is_superuser: flag,
  create_at: text,
  updated_at: text,
  last_login_at: { type: 'null' },
  optins: anyObject,
} as const;

export const userSchema = namedObject('User', members);
/** One page of users. `deletion_requests` is empty: a user is deleted at once. */
export const userListSchema = namedObject('UserPage', {
  total_count: integer,
  users: listOf(userSchema),
  deletion_requests: closedObject({}),
});

/** A new user with their first key, which is shown only in this response. */
export const createdUserSchema = namedObject('CreatedUser', { ...members, api_key: text });
