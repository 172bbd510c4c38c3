import { integerArray, textArray, timestampArray, uuidArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import { storableText, storableTextOrNull } from '@millrace/python-text';
import { uuidv7 } from '@millrace/service';

/** The newest ones of each flow that are kept. */
const KEPT_PER_FLOW = 50;

/** Deliveries to a flow that were refused for one reason, without their bodies. */
export interface RefusedDelivery {
  readonly id: string;
  readonly flowId: string;
  /** Of the last one. */
  readonly refusedAt: Date;
  readonly count: number;
  /** The code of the error, and the status and text of the answer. */
  readonly code: string;
  readonly status: number;
  readonly reason: string;
  /** Of the last one. */
  readonly requestId: string | null;
  readonly clientAddress: string | null;
}

// A flow that was deleted in the meantime has no row.
const ADD = {
  name: 'refused-deliveries-add',
  text: `WITH given AS (
      SELECT given.* FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::int[], $5::text[], $6::int[], $7::text[],
        $8::text[], $9::text[]) AS given (id, flow_id, refused_at, count, code, status, reason, request_id, client_address)
      JOIN flows ON flows.id = given.flow_id
    ), pruned AS (
      DELETE FROM refused_deliveries WHERE id IN (
        SELECT old.id FROM (SELECT flow_id, count(*)::int AS added FROM given GROUP BY flow_id) AS full_flows
        CROSS JOIN LATERAL (
          SELECT id FROM refused_deliveries WHERE flow_id = full_flows.flow_id
          ORDER BY refused_at DESC OFFSET greatest(0, ${KEPT_PER_FLOW} - full_flows.added)
        ) AS old)
    )
    INSERT INTO refused_deliveries SELECT * FROM given`,
};

const LIST = {
  name: 'refused-deliveries-list',
  text: `SELECT id, flow_id AS "flowId", refused_at AS "refusedAt", count, code, status, reason,
      request_id AS "requestId", client_address AS "clientAddress"
    FROM refused_deliveries WHERE flow_id = $1 ORDER BY refused_at DESC, id DESC LIMIT ${KEPT_PER_FLOW}`,
};

const PRUNE = {
  name: 'refused-deliveries-prune',
  text: `DELETE FROM refused_deliveries WHERE id = ANY(ARRAY(
      SELECT id FROM refused_deliveries WHERE refused_at < now() - $1 * interval '1 day'
      ORDER BY refused_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
};

/** Stores the deliveries that webhooks refused: the newest ones of each flow, for a limited time. */
export class RefusedDeliveryStore {
  readonly #database: Pick<Database, 'query'>;

  constructor({ database }: { readonly database: Pick<Database, 'query'> }) {
    this.#database = database;
  }

  /** Adds deliveries and deletes the oldest ones of their flows; of one flow at most 50 at a time. */
  async add(deliveries: readonly Omit<RefusedDelivery, 'id'>[]): Promise<void> {
    if (deliveries.length === 0) return;
    await this.#database.query({
      ...ADD,
      values: [
        uuidArray(deliveries.map(() => uuidv7())),
        uuidArray(deliveries.map(({ flowId }) => flowId)),
        timestampArray(deliveries.map(({ refusedAt }) => refusedAt)),
        integerArray(deliveries.map(({ count }) => count)),
        textArray(deliveries.map(({ code }) => code)),
        integerArray(deliveries.map(({ status }) => status)),
        textArray(deliveries.map(({ reason }) => storableText(reason))),
        textArray(deliveries.map(({ requestId }) => storableTextOrNull(requestId))),
        textArray(deliveries.map(({ clientAddress }) => storableTextOrNull(clientAddress))),
      ],
    });
  }

  /** Lists those of a flow, newest first. */
  async list(flowId: string): Promise<readonly RefusedDelivery[]> {
    return (await this.#database.query<RefusedDelivery>({ ...LIST, values: [flowId] })).rows;
  }

  /** Deletes up to `limit` that are older; resolves to their number. */
  async prune({
    retentionDays,
    limit,
  }: {
    readonly retentionDays: number;
    readonly limit: number;
  }): Promise<number> {
    return (await this.#database.query({ ...PRUNE, values: [retentionDays, limit] })).rowCount;
  }
}
