import { closedObject, flag, listOf, orNull, text, uuid, integer, namedObject } from '@millrace/messages';

const members = {
  id: uuid,
  name: orNull(text),
  last_used_at: orNull(text),
  total_uses: integer,
  is_active: flag,
  expires_at: orNull(text),
  api_key: text,
  user_id: uuid,
};
const bounds = {
  access: { enum: ['read_only', 'run_only'] },
  flows: listOf(uuid),
  projects: listOf(uuid),
  member: flag,
  addresses: listOf(text),
  end_users: { enum: ['header', 'token'] },
};
const optional = Object.keys(bounds);
const scopes = listOf({ enum: ['run', 'manage', 'admin'] });

export const apiKeyListSchema = namedObject('ApiKeyList', {
  total_count: integer,
  user_id: uuid,
  api_keys: listOf(closedObject({ ...members, ...bounds, scopes, created_at: text }, optional)),
});

/** The only response that contains the key itself. */
export const createdApiKeySchema = namedObject('CreatedApiKey', { ...members, ...bounds, scopes }, [
  ...optional,
  'scopes',
]);

/** A key with its bounds, without the key itself. */
export const apiKeySchema = namedObject(
  'ApiKey',
  { ...members, ...bounds, scopes, created_at: text },
  optional,
);

/** A new key, and the old one that it replaces. */
export const rotatedApiKeySchema = namedObject(
  'RotatedApiKey',
  { ...members, ...bounds, scopes, replaces: closedObject({ id: uuid, expires_at: orNull(text) }) },
  optional,
);
