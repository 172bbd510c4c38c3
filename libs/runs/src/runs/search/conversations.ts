import { uuidArray, textArray } from '@millrace/database';
import type { Queryable, Transactional } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { searchRuns, positionOf } from './find-runs';
import { POSITION_COLUMN, timeSql } from './run-search';
import type { RunFilter, RunPage, RunPosition } from './run-filter';
import type { RunStatus } from '../../run-record/run-record';
import { BODY_TEXT, MESSAGE_COLUMNS, toMessageRow } from '../../messages/message-columns';
import type { StoredMessage } from '../../messages/message-columns';
import type { MessageRow } from '../../messages/message-row';

/** A page of conversations reads this many runs at most. */
const SCANNED_RUNS = 2_000;
/** Sessions that an earlier page has are among those that are found. */
const CANDIDATES_PER_ENTRY = 4;
/** Longer bodies are not read for the beginning of a last message. */
const PREVIEWED_BYTES = 20_000;
const PREVIEW_CHARACTERS = 200;
/** A page of messages ends when their bodies exceed this; it has one message at least. */
const PAGE_BYTES = 2_000_000;

/** A session of a flow, by its last run. */
export interface Conversation {
  readonly flowId: string;
  readonly sessionId: string;
  /** The last run of the session. */
  readonly run: {
    readonly id: string;
    readonly status: RunStatus;
    readonly acceptedAt: Date;
  };
  /** The last message, its text cut; null without messages, and for a very long one. */
  readonly last: Pick<MessageRow, 'sender' | 'senderName' | 'text' | 'timestamp'> | null;
}

export interface ConversationList {
  readonly conversations: readonly Conversation[];
  /** Null when there are no further ones. A page can be short, or empty, before the last one. */
  readonly next: RunPosition | null;
}

interface SessionRun extends RunPosition {
  readonly flowId: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  readonly acceptedAt: Date;
}

/**
 * Lists the sessions of a user whose runs are kept, that with the newest run first. A page reads a bounded number of runs. The
 * session that runs without one share is in the first page only.
 */
export async function listConversations(
  database: Queryable & Transactional,
  filter: Pick<RunFilter, 'flowId' | 'sessionId'> & { readonly userId: string },
  { limit, after }: RunPage,
): Promise<ConversationList> {
  const { rows } = await searchRuns<SessionRun>(database, {
    filter,
    columns: `runs.id, runs.flow_id AS "flowId", runs.session_id AS "sessionId", runs.status,
      runs.accepted_at AS "acceptedAt", ${POSITION_COLUMN}`,
    order: 'newest first',
    limit: SCANNED_RUNS,
    after,
    conditions: () => (after === undefined ? [] : ['runs.session_id <> runs.flow_id::text']),
  });
  const found = newestOfSessions(rows, limit * CANDIDATES_PER_ENTRY);
  const earlier = after === undefined ? new Set() : await listedBefore(database, found.runs, after);
  const fresh = found.runs.filter((_, index) => !earlier.has(index));
  const listed = fresh.slice(0, limit);
  // The next page begins with the first session that this one leaves out.
  const leftOut = fresh[limit] ?? found.leftOut;
  const lastRead = leftOut === undefined ? rows.at(-1) : rows[rows.indexOf(leftOut) - 1];
  const isComplete = leftOut === undefined && rows.length < SCANNED_RUNS;
  const last = await lastMessages(database, filter.userId, listed);
  return {
    conversations: listed.map(({ flowId, sessionId, id, status, acceptedAt }, index) => ({
      flowId,
      sessionId,
      run: { id, status, acceptedAt },
      last: last.get(index) ?? null,
    })),
    next: isComplete ? null : positionOf(lastRead),
  };
}

/** Returns the first run of each session, and that of the first session above the limit. */
function newestOfSessions(rows: readonly SessionRun[], limit: number) {
  const newest = new Map<string, SessionRun>();
  for (const run of rows) {
    const key = `${run.flowId} ${run.sessionId}`;
    if (newest.has(key)) continue;
    if (newest.size === limit) return { runs: [...newest.values()], leftOut: run };
    newest.set(key, run);
  }
  return { runs: [...newest.values()], leftOut: undefined };
}

const sessionsOf = (runs: readonly SessionRun[]) => [
  uuidArray(runs.map(({ flowId }) => flowId)),
  textArray(runs.map(({ sessionId }) => storableText(sessionId))),
];

const GIVEN = `unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS given (flow_id, session_id, number)`;

/** Returns the places of the sessions that have a run before this position in the list, so that an earlier page had them. */
async function listedBefore(
  database: Queryable,
  runs: readonly SessionRun[],
  { acceptedAtMicroseconds, id }: RunPosition,
): Promise<ReadonlySet<number>> {
  const { rows } = await database.query<{ readonly index: number }>({
    text: `SELECT (number - 1)::int AS index FROM ${GIVEN} WHERE EXISTS (
        SELECT FROM runs WHERE hashtextextended(runs.session_id, 0) = hashtextextended(given.session_id, 0)
          AND runs.session_id = given.session_id AND runs.flow_id = given.flow_id
          AND runs.session_id <> runs.flow_id::text
          AND (runs.accepted_at, runs.id) >= (${timeSql('$3')}, $4::uuid))`,
    values: [...sessionsOf(runs), acceptedAtMicroseconds, id],
  });
  return new Set(rows.map(({ index }) => index));
}

async function lastMessages(
  database: Queryable,
  userId: string,
  runs: readonly SessionRun[],
): Promise<ReadonlyMap<number, NonNullable<Conversation['last']>>> {
  if (runs.length === 0) return new Map();
  const { rows } = await database.query<
    Pick<MessageRow, 'sender' | 'senderName' | 'timestamp'> & {
      readonly index: number;
      readonly text: string | null;
    }
  >({
    text: `SELECT (number - 1)::int AS index, last.* FROM ${GIVEN} CROSS JOIN LATERAL (
        SELECT sender, sender_name AS "senderName", timestamp,
          CASE WHEN octet_length(body) <= ${PREVIEWED_BYTES} THEN ${BODY_TEXT} END AS text FROM messages
        WHERE messages.flow_id = given.flow_id AND messages.user_id = $3
          AND hashtextextended(messages.session_id, 0) = hashtextextended(given.session_id, 0)
          AND messages.session_id = given.session_id
        ORDER BY timestamp DESC, position DESC LIMIT 1) AS last`,
    values: [...sessionsOf(runs), userId],
  });
  return new Map(
    rows.flatMap(({ index, text, ...message }) =>
      text === null
        ? []
        : [[index, { ...message, text: beginningOf(JSON.parse(`"${text}"`) as string) }] as const],
    ),
  );
}

/** Cuts a text, but not within a character. */
const beginningOf = (text: string): string =>
  text.length <= PREVIEW_CHARACTERS
    ? text
    : text.slice(0, PREVIEW_CHARACTERS).replace(/[\ud800-\udbff]$/, '');

/** The place of a message in its session. */
export interface MessagePosition {
  /** Microseconds since the epoch. */
  readonly microseconds: number;
  readonly position: number;
}

export interface ConversationMessages {
  /** Newest first. */
  readonly messages: readonly MessageRow[];
  /** Where the older ones begin; null when there are none. */
  readonly next: MessagePosition | null;
}

export interface ConversationQuery {
  readonly userId: string;
  readonly flowId: string;
  readonly sessionId: string;
  readonly limit: number;
  /** Only messages that are older than the one at this position. */
  readonly after?: MessagePosition | undefined;
}

/** Reads the messages of one session, newest first, as many as have a bounded size. */
export async function readConversation(
  database: Queryable,
  { userId, flowId, sessionId, limit, after }: ConversationQuery,
): Promise<ConversationMessages> {
  const { rows } = await database.query<StoredMessage & MessagePosition & { readonly isFollowed: boolean }>({
    text: `WITH page AS MATERIALIZED (
        SELECT id, row_number() OVER (ORDER BY timestamp DESC, position DESC) AS number, sum(octet_length(body))
            OVER (ORDER BY timestamp DESC, position DESC) - octet_length(body) AS before
        FROM (
          SELECT id, timestamp, position, body FROM messages
          WHERE flow_id = $1::uuid AND user_id = $2::uuid AND session_id = $3
            AND hashtextextended(session_id, 0) = hashtextextended($3, 0)
            ${after === undefined ? '' : `AND (timestamp, position) < (${timeSql('$5')}, $6::bigint)`}
          ORDER BY timestamp DESC, position DESC LIMIT $4 + 1
        ) AS newest
      )
      SELECT ${MESSAGE_COLUMNS}, (extract(epoch FROM messages.timestamp) * 1000000)::bigint AS microseconds,
        messages.position, (SELECT count(*) FROM page) > page.number AS "isFollowed"
      FROM page JOIN messages USING (id) WHERE page.before < ${PAGE_BYTES} AND page.number <= $4
      ORDER BY page.number`,
    values: [
      flowId,
      userId,
      storableText(sessionId),
      limit,
      ...(after === undefined ? [] : [after.microseconds, after.position]),
    ],
  });
  const last = rows.at(-1);
  return {
    messages: rows.map(({ microseconds: _, position: __, isFollowed: ___, ...row }) => toMessageRow(row)),
    next: last?.isFollowed ? { microseconds: last.microseconds, position: last.position } : null,
  };
}
