import type { Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { BODY_TEXT, MESSAGE_COLUMNS, toMessageRow } from './message-columns';
import type { StoredMessage } from './message-columns';
import type { MessageRow } from './message-row';

const ORDERS = {
  timestamp: 'messages.timestamp',
  sender: 'messages.sender',
  senderName: 'messages.sender_name',
  sessionId: 'messages.session_id',
  text: BODY_TEXT,
};

/** The fields that messages can be ordered by; ties by time, then in the order of storage. */
export type MessageOrder = keyof typeof ORDERS;

/** Selects among a user's messages. */
export interface MessageFilter {
  readonly userId: string;
  readonly flowId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Only messages of sessions whose ids begin so. */
  readonly sessionPrefix?: string | undefined;
  readonly contextId?: string | undefined;
  /** Only messages that this run stored. */
  readonly runId?: string | undefined;
  readonly sender?: string | undefined;
  readonly senderName?: string | undefined;
  /** False excludes error messages. */
  readonly errors?: boolean | undefined;
  readonly orderBy?: MessageOrder | undefined;
  readonly order?: 'ascending' | 'descending' | undefined;
  /** Whether `limit` and `offset` count from the newest message, whatever the order; ties then come newest first. */
  readonly isNewest?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** See MessageStore.list. */
export async function listMessages(connection: Queryable, filter: MessageFilter): Promise<MessageRow[]> {
  const values: unknown[] = [filter.userId, filter.limit ?? null, filter.offset ?? 0];
  const given = (value: string): string => `$${values.push(storableText(value))}`;
  const { isNewest = false, orderBy = 'timestamp' } = filter;
  const direction = isNewest || filter.order === 'descending' ? 'DESC' : 'ASC';
  const order = ['timestamp' as const, isNewest ? 'timestamp' : orderBy].map(
    (by) => `${ORDERS[by]} ${direction}`,
  );
  const { rows } = await connection.query<StoredMessage>({
    text: `SELECT ${MESSAGE_COLUMNS} FROM messages WHERE ${conditions(filter, given).join(' AND ')}
      ORDER BY ${[...new Set(order.reverse())].join(', ')}, messages.position ${direction} LIMIT $2 OFFSET $3`,
    values,
  });
  const found = rows.map(toMessageRow);
  return isNewest ? inOrder(found, orderBy, filter.order === 'descending') : found;
}

/** Orders messages that come with the newest first. */
function inOrder(newest: MessageRow[], by: MessageOrder, isDescending: boolean): MessageRow[] {
  if (by === 'timestamp') return isDescending ? newest : newest.reverse();
  const sign = isDescending ? -1 : 1;
  return newest.sort((one, other) => (one[by] === other[by] ? 0 : one[by] < other[by] ? -sign : sign));
}

function conditions(filter: MessageFilter, given: (value: string) => string): string[] {
  const found = ['messages.user_id = $1'];
  if (filter.flowId === undefined)
    found.push('messages.flow_id IN (SELECT id FROM flows WHERE user_id = $1)');
  else found.push(`messages.flow_id = ${given(filter.flowId)}::uuid`);
  if (filter.sessionId !== undefined) {
    const sessionId = given(filter.sessionId);
    found.push(
      `hashtextextended(session_id, 0) = hashtextextended(${sessionId}, 0) AND session_id = ${sessionId}`,
    );
  }
  if (filter.sessionPrefix !== undefined)
    found.push(`starts_with(session_id, ${given(filter.sessionPrefix)})`);
  if (filter.contextId !== undefined) found.push(`context_id = ${given(filter.contextId)}`);
  if (filter.runId !== undefined) found.push(`run_id = ${given(filter.runId)}::uuid`);
  if (filter.sender !== undefined) found.push(`sender = ${given(filter.sender)}`);
  if (filter.senderName !== undefined) found.push(`sender_name = ${given(filter.senderName)}`);
  if (filter.errors === false) found.push('NOT error');
  return found;
}
