import { closed, flag, listOf, orNull, text, uuid, whole } from './answer-schema';

const members = {
  id: uuid,
  name: orNull(text),
  last_used_at: orNull(text),
  total_uses: whole,
  is_active: flag,
  expires_at: orNull(text),
  api_key: text,
  user_id: uuid,
};
const scopes = listOf({ enum: ['run', 'manage', 'admin'] });

export const apiKeyListSchema = closed({
  total_count: whole,
  user_id: uuid,
  api_keys: listOf(closed({ ...members, scopes, created_at: text })),
});

/** The one answer that holds the key itself. */
export const createdApiKeySchema = closed({ ...members, scopes }, ['scopes']);
