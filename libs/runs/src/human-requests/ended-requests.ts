import type { Database } from '@millrace/database';
import type { HumanDecision } from '@millrace/flow';
import type { Logger } from '@millrace/service';
import type { RequestSeal } from '../encryption/request-seal';
import type { MessageStore } from '../messages/message-store';
import { endedQuestion, questionMessageId } from './question-message';

interface EndedRow {
  readonly runId: string;
  readonly requestId: string;
  /** Null when the run was deleted. */
  readonly userId: string | null;
  /** Null when the request ended without one. */
  readonly decision: string | null;
}

const FIND = {
  name: 'ended-requests-find',
  text: `SELECT ended.run_id AS "runId", ended.request_id AS "requestId", runs.user_id AS "userId", decision
    FROM ended_requests AS ended LEFT JOIN runs ON runs.id = ended.run_id
    LEFT JOIN human_requests AS asked ON asked.run_id = ended.run_id AND md5(asked.request_id) = md5(ended.request_id)
    WHERE $1::uuid IS NULL OR ended.run_id = $1 LIMIT $2`,
};

const FORGET = {
  name: 'ended-requests-forget',
  text: 'DELETE FROM ended_requests WHERE run_id = $1 AND request_id = $2',
};

export interface EndedRequestsDependencies {
  readonly database: Database;
  readonly seal: RequestSeal;
  readonly messages: Pick<MessageStore, 'update'>;
  readonly logger: Logger;
}

/** Shows the ends of requests for human input in their messages. Any number of processes can do it at a time. */
export class EndedRequests {
  readonly #dependencies: EndedRequestsDependencies;

  constructor(dependencies: EndedRequestsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Shows the ends that are not shown yet, at most `limit`: of one run, or of all. */
  async show({
    runId = null,
    limit,
  }: {
    readonly runId?: string | null;
    readonly limit: number;
  }): Promise<void> {
    const { database } = this.#dependencies;
    const { rows } = await database.query<EndedRow>({ ...FIND, values: [runId, limit] });
    for (const row of rows) {
      await this.#show(row);
      await database.query({ ...FORGET, values: [row.runId, row.requestId] });
    }
  }

  /** Never rejects for what a message contains: it must not keep others from being shown. */
  async #show({ runId, requestId, userId, decision }: EndedRow): Promise<void> {
    const { seal, messages, logger } = this.#dependencies;
    if (userId === null) return;
    try {
      const action =
        decision === null ? null : (JSON.parse(seal.readText(decision)) as HumanDecision).action_id;
      await messages.update(userId, questionMessageId(runId, requestId), (stored) =>
        endedQuestion(stored, action),
      );
    } catch (error) {
      logger.error({ error, runId }, 'could not add the end of a question to its message');
    }
  }
}
