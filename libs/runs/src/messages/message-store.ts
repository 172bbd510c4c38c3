import type { Database } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { MESSAGE_COLUMNS, messageBody, toMessageRow } from './message-columns';
import type { StoredMessage } from './message-columns';
import { listMessages } from './list-messages';
import type { MessageFilter } from './list-messages';
import type { MessageChanges, MessageRow } from './message-row';

/** Identifies a session of a flow. */
export interface SessionKey {
  readonly userId: string;
  readonly flowId: string;
  readonly sessionId: string;
}

/** Which of the newest sessions to list. */
export interface SessionPage {
  readonly limit: number;
  readonly offset: number;
}

export interface SessionQuery {
  readonly userId: string;
  readonly flowId?: string | undefined;
  /** Only sessions whose ids begin so. */
  readonly prefix?: string | undefined;
  /** All sessions by default. */
  readonly newest?: SessionPage | undefined;
}

type SessionsListener = (sessionKeys: readonly SessionKey[]) => Promise<void>;

const SESSION_KEY_COLUMNS = `flow_id AS "flowId", user_id AS "userId", session_id AS "sessionId"`;

/** Archives the messages of all sessions. Messages are added when their run ends (see RunStore). */
export class MessageStore {
  readonly #database: Database;
  readonly #listeners: SessionsListener[] = [];

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** Registers a listener for sessions that a user edited; it is called before the edit is acknowledged. */
  onChanged(listener: SessionsListener): void {
    this.#listeners.push(listener);
  }

  /** Lists the user's messages, including error messages; by time, then in the order of storage. */
  async list(filter: MessageFilter): Promise<MessageRow[]> {
    return listMessages(this.#database, filter);
  }

  /** Returns the ids of the user's sessions: a page of those with the newest messages, or all of them, sorted. */
  async sessions({ userId, flowId, prefix = '', newest }: SessionQuery): Promise<string[]> {
    const order =
      newest === undefined ? 'session_id' : 'max(timestamp) DESC, session_id DESC LIMIT $4 OFFSET $5';
    const page = newest === undefined ? [] : [newest.limit, newest.offset];
    const { rows } = await this.#database.query<{ sessionId: string }>({
      text: `SELECT session_id AS "sessionId" FROM messages
        WHERE user_id = $1 AND flow_id = ANY(ARRAY(
          SELECT id FROM flows WHERE user_id = $1 AND ($2::uuid IS NULL OR id = $2)))
          AND starts_with(session_id, $3)
        GROUP BY session_id ORDER BY ${order}`,
      values: [userId, flowId ?? null, storableText(prefix), ...page],
    });
    return rows.map(({ sessionId }) => sessionId);
  }

  /** Resolves to the number of the user's messages that were deleted. */
  async delete(userId: string, ids: readonly string[]): Promise<number> {
    const { rows } = await this.#database.query<SessionKey>({
      text: `DELETE FROM messages WHERE id = ANY($1::uuid[]) AND user_id = $2 RETURNING ${SESSION_KEY_COLUMNS}`,
      values: [ids, userId],
    });
    await this.notifyChanged(rows);
    return rows.length;
  }

  /** Deletes the session in every flow of the user; resolves to the number of its messages. */
  async deleteSession(userId: string, sessionId: string): Promise<number> {
    const { rows } = await this.#database.query<SessionKey>({
      text: `DELETE FROM messages WHERE ${sessionCondition('$1', '$2')} RETURNING ${SESSION_KEY_COLUMNS}`,
      values: [userId, storableText(sessionId)],
    });
    await this.notifyChanged(rows);
    return rows.length;
  }

  /** Changes what `changesOf` returns for the stored message. Resolves to null when the user has no such message. */
  async update(
    userId: string,
    id: string,
    changesOf: (stored: MessageRow) => MessageChanges,
  ): Promise<MessageRow | null> {
    const changed = await this.#database.transaction(async (connection) => {
      const { rows } = await connection.query<StoredMessage>({
        text: `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE id = $1 AND user_id = $2 FOR UPDATE`,
        values: [id, userId],
      });
      if (rows[0] === undefined) return null;
      const stored = toMessageRow(rows[0]);
      const row: MessageRow = { ...stored, ...withoutUndefined(changesOf(stored)) };
      const texts = [row.sender, row.senderName, row.sessionId, row.contextId].map(storableText);
      await connection.query({
        text: `UPDATE messages SET sender = $2, sender_name = $3, session_id = $4, context_id = $5, error = $6, body = $7
          WHERE id = $1`,
        values: [id, ...texts, row.error, messageBody(row)],
      });
      return { row, stored };
    });
    if (changed === null) return null;
    await this.notifyChanged([changed.row, changed.stored]);
    return changed.row;
  }

  /** Changes the session's id in every flow of the user; resolves to its messages, by time. */
  async renameSession(userId: string, sessionId: string, newSessionId: string): Promise<MessageRow[]> {
    const oldId = storableText(sessionId);
    const newId = storableText(newSessionId);
    const { rows } = await this.#database.query<StoredMessage>({
      text: `WITH renamed AS (
          UPDATE messages SET session_id = $3 WHERE ${sessionCondition('$1', '$2')} RETURNING *
        ) SELECT ${MESSAGE_COLUMNS} FROM renamed AS messages ORDER BY timestamp, position`,
      values: [userId, oldId, newId],
    });
    const messages = rows.map(toMessageRow);
    await this.notifyChanged(messages.flatMap((message) => [message, { ...message, sessionId: oldId }]));
    return messages;
  }

  /** Calls the listeners with the sessions of these messages; for those who deleted them by other means. */
  async notifyChanged(rows: readonly SessionKey[]): Promise<void> {
    const sessionKeys = new Map(
      rows.map(({ userId, flowId, sessionId }) => [
        JSON.stringify([userId, flowId, sessionId]),
        { userId, flowId, sessionId },
      ]),
    );
    if (sessionKeys.size === 0) return;
    await Promise.all(this.#listeners.map((listener) => listener([...sessionKeys.values()])));
  }
}

/** Returns the SQL condition for a session in any of the user's flows; shaped to use the session index. */
function sessionCondition(userId: string, sessionId: string): string {
  return `user_id = ${userId} AND flow_id = ANY(ARRAY(SELECT id FROM flows WHERE user_id = ${userId}))
    AND hashtextextended(session_id, 0) = hashtextextended(${sessionId}, 0) AND session_id = ${sessionId}`;
}

function withoutUndefined(changes: MessageChanges): MessageChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
