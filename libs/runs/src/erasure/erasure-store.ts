import type { Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { FORGET_END_USER } from '../budgets/spend';
import type { MessageStore } from '../messages/message-store';
import { retryOnDeadlock } from '../retry-on-deadlock';

const RUNS_AT_ONCE = 500;
const FLOWS_OF_USER = `ARRAY(SELECT id FROM flows WHERE user_id = $1)`;
/** Shaped to use the index by session, and for the default session of a flow the index by flow. */
const RUNS_OF_SESSION = `runs.user_id = $1 AND session_id = $2 AND (
  (session_id <> flow_id::text AND hashtextextended(session_id, 0) = hashtextextended($2, 0))
  OR flow_id = $3::uuid)`;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface ErasedSession {
  readonly messages: number;
  readonly runs: number;
  /** Runs that have not ended; they are not deleted. At most 1,000 are counted. */
  readonly runsInProgress: number;
  /** Whether ended runs remain, which a further call deletes. */
  readonly hasMore: boolean;
}

/** Deletes what is stored of sessions: messages, and runs with their requests, results, vertex records, events and reports. */
export class ErasureStore {
  readonly #database: Queryable;
  readonly #messages: MessageStore;

  constructor({ database, messages }: { readonly database: Queryable; readonly messages: MessageStore }) {
    this.#database = database;
    this.#messages = messages;
  }

  /**
   * Returns the ids of the user's sessions that begin with this text, sorted, at most `limit`. Reads all messages and runs of
   * the user's flows.
   */
  async sessionsWithPrefix(userId: string, prefix: string, limit: number): Promise<readonly string[]> {
    const { rows } = await this.#database.query<{ sessionId: string }>({
      text: `SELECT session_id AS "sessionId" FROM (
          SELECT session_id FROM messages WHERE flow_id = ANY(${FLOWS_OF_USER}) AND user_id = $1
            AND starts_with(session_id, $2)
          UNION
          SELECT session_id FROM runs WHERE flow_id = ANY(${FLOWS_OF_USER}) AND user_id = $1
            AND starts_with(session_id, $2)
        ) AS found ORDER BY 1 LIMIT $3`,
      values: [userId, storableText(prefix), limit],
    });
    return rows.map(({ sessionId }) => sessionId);
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Queryable): ErasureStore {
    return new ErasureStore({ database: transaction, messages: this.#messages });
  }

  /** Deletes what an end user of the user has spent of budgets, which begin anew. Resolves to the number of days and months. */
  async eraseSpend(userId: string, endUser: string): Promise<number> {
    const { rowCount } = await this.#database.query({ text: FORGET_END_USER, values: [userId, endUser] });
    return rowCount;
  }

  /** Deletes the messages of a session in all flows of the user, and up to `limit` of its ended runs. */
  async eraseSession(userId: string, sessionId: string, limit: number): Promise<ErasedSession> {
    const values = [userId, storableText(sessionId), UUID.test(sessionId) ? sessionId : null];
    let runs = 0;
    while (runs < limit) {
      const { rowCount } = await retryOnDeadlock(() =>
        this.#database.query({
          text: `DELETE FROM runs WHERE id = ANY(ARRAY(SELECT id FROM runs WHERE ${RUNS_OF_SESSION}
            AND finished_at IS NOT NULL AND next_sweep_at IS NULL LIMIT ${RUNS_AT_ONCE}))`,
          values,
        }),
      );
      runs += rowCount;
      if (rowCount < RUNS_AT_ONCE) break;
    }
    // After the runs, so that a run that ends meanwhile leaves no message of an earlier one.
    const messages = await this.#messages.deleteSession(userId, sessionId);
    const { rows } = await this.#database.query<{ inProgress: number; hasMore: boolean }>({
      text: `SELECT
        (SELECT count(*)::int FROM (SELECT FROM runs WHERE ${RUNS_OF_SESSION} AND finished_at IS NULL LIMIT 1000) AS open)
          AS "inProgress",
        EXISTS (SELECT FROM runs WHERE ${RUNS_OF_SESSION} AND finished_at IS NOT NULL) AS "hasMore"`,
      values,
    });
    const { inProgress: runsInProgress = 0, hasMore = false } = rows[0] ?? {};
    return { messages, runs, runsInProgress, hasMore };
  }
}
