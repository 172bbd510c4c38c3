import type { RunRequest } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import { uuidv7 } from '@millrace/service';

/** The end user of a request; null where its key acts for none. */
export type EndUser = string | null;

/** Separates the end user from the rest of a session's id, as in Langflow. */
const SEPARATOR = '::';
/** A name that ends with a colon would share sessions with the name without it. */
const NAME = /^(?!.*::)[\x21-\x7e]{0,199}[\x21-\x39\x3b-\x7e]$/;
const INVALID =
  'The id of an end user must have 1 to 200 visible ASCII characters, without :: and without a colon at the end.';

/** Returns the name of an end user, which can be a part of sessions. Throws end_user_invalid. */
export function endUserName(text: string): string {
  if (NAME.test(text)) return text;
  const detail = {
    error: 'Invalid end-user identity',
    code: 'END_USER_IDENTITY_INVALID',
    message: INVALID,
  };
  throw new HttpError('end_user_invalid', detail);
}

/** Returns what the sessions of an end user, and of no other, begin with. */
export function sessionPrefix(endUser: string): string {
  return endUser + SEPARATOR;
}

/** The session of a run. */
export type RunSession = Pick<RunRequest, 'sessionId' | 'isOwnSession'>;

/** Returns the session that a request names for its run; that of an end user begins with their name. */
export function sessionFor(endUser: EndUser, named: string): string {
  // Clients send the session of an answer again.
  if (endUser === null || named.startsWith(sessionPrefix(endUser))) return named;
  return sessionPrefix(endUser) + named;
}

/** Returns the session of a run: that which its request names, for an end user else a new one, or the given one. */
export function sessionOr(absent: string, endUser: EndUser, named: string | null | undefined): RunSession {
  if (named) return { sessionId: sessionFor(endUser, named) };
  if (endUser === null) return { sessionId: absent };
  return { sessionId: sessionFor(endUser, uuidv7()), isOwnSession: true };
}

/** Returns what begins the idempotency keys of a caller. Those of one end user do not find runs of another. */
export function idempotencyScope({
  userId,
  endUser = null,
}: {
  readonly userId: string;
  readonly endUser?: EndUser;
}): string {
  return endUser === null ? userId : `${userId} end-user ${endUser}`;
}
