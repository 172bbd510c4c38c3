import { closedObject, flag, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';

const instant = { type: 'string', format: 'date-time' } as const;

/** Who is signed in to the web console, with which rights, and until when. */
export const consoleSessionSchema = namedObject('ConsoleSession', {
  session_id: uuid,
  user: closedObject({ id: uuid, username: text, is_superuser: flag }),
  scopes: listOf({ enum: ['run', 'manage', 'admin'] }),
  expires_at: instant,
});

export const consoleSessionListSchema = namedObject('ConsoleSessionList', {
  sessions: listOf(
    closedObject({
      id: uuid,
      user_id: uuid,
      key_id: uuid,
      created_at: instant,
      last_used_at: instant,
      expires_at: instant,
      user_agent: orNull(text),
      client_address: orNull(text),
      current: flag,
    }),
  ),
});
