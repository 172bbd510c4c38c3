import { uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { storableText, storableTextOrNull } from '@millrace/python-text';
import { uuidv7 } from '@millrace/service';
import type { FlowReference } from '../flows/flow-record';
import { flowOfTrigger } from './flow-of-trigger';
import type { TriggerFlowRow } from './flow-of-trigger';
import type { QueueRejection, QueueSourceState } from './queue-source-record';
import { TRIGGER_COLUMNS } from './trigger-record';
import type { TriggerRecord } from './trigger-record';

/** How many rejections of a trigger are kept. */
const KEPT_REJECTIONS = 1_000;

// The condition on the lease is checked again on the newest row, so that of two processes one takes the source.
const CLAIM = {
  name: 'sources-claim',
  text: `INSERT INTO queue_sources (trigger_id, owner, lease_until, state, state_at)
    SELECT triggers.id, $1, now() + $2 * interval '1 millisecond', 'connecting', now()
    FROM triggers LEFT JOIN queue_sources AS held ON held.trigger_id = triggers.id
    WHERE triggers.kind = 'rabbitmq' AND triggers.state = 'active'
      AND (held.trigger_id IS NULL OR held.lease_until <= now())
    ORDER BY triggers.id LIMIT $3
    ON CONFLICT (trigger_id) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until,
      state = 'connecting', state_at = now()
    WHERE queue_sources.lease_until <= now()`,
};

const HELD = `queue_sources.owner = $1 AND triggers.id = queue_sources.trigger_id AND triggers.kind = 'rabbitmq'
  AND triggers.state = 'active'`;

// A source whose row another session locks is passed over until the next renewal.
const HOLD = {
  name: 'sources-hold',
  text: `WITH extended AS (
      UPDATE queue_sources SET lease_until = now() + $2 * interval '1 millisecond' WHERE trigger_id = ANY(ARRAY(
        SELECT queue_sources.trigger_id FROM queue_sources JOIN triggers ON ${HELD}
        FOR NO KEY UPDATE OF queue_sources SKIP LOCKED))
    )
    SELECT ${TRIGGER_COLUMNS}, flows.name AS "flowName", flows.version, flows.settings,
      coalesce(flows.needs_python, false) AS "needsPython"
    FROM queue_sources JOIN triggers ON ${HELD} JOIN flows ON flows.id = triggers.flow_id`,
};

const RELEASE = {
  name: 'sources-release',
  text: `UPDATE queue_sources SET lease_until = now() WHERE owner = $1 AND trigger_id = ANY($2::uuid[])`,
};

const NOTE = {
  name: 'sources-note',
  text: `UPDATE queue_sources SET state_at = CASE WHEN state = $3 THEN state_at ELSE now() END, state = $3,
      error = coalesce($4, error), error_at = CASE WHEN $4::text IS NULL THEN error_at ELSE now() END
    WHERE trigger_id = $1 AND owner = $2`,
};

const REJECT = {
  name: 'sources-reject',
  text: `WITH dropped AS (
      DELETE FROM queue_rejections WHERE id IN (SELECT id FROM queue_rejections WHERE trigger_id = $2
        ORDER BY created_at DESC, id DESC OFFSET ${KEPT_REJECTIONS - 1})
    )
    INSERT INTO queue_rejections (id, trigger_id, reason, detail, message_id, bytes, excerpt)
    SELECT $1, triggers.id, $3, $4, $5, $6, $7 FROM triggers WHERE triggers.id = $2`,
};

/** A source whose lease a process has, with the newest version of its flow. */
export interface HeldSource {
  readonly trigger: TriggerRecord;
  readonly flow: FlowReference;
}

/** A process that consumes from queues. */
export interface SourceOwner {
  /** Unique among all processes and their restarts. */
  readonly owner: string;
  /** How long a source stays with the process without a renewal. */
  readonly leaseMilliseconds: number;
}

/**
 * Decides which process consumes from the queue of which trigger, and stores what becomes of the sources. A lease only
 * keeps two processes from consuming at a time: that no message gets two runs is decided by the dedupe keys of events.
 */
export class QueueSourceStore {
  readonly #database: Queryable;

  constructor({ database }: { readonly database: Queryable }) {
    this.#database = database;
  }

  /** Takes up to `limit` sources that no process has; resolves to their number. */
  async claim({ owner, leaseMilliseconds }: SourceOwner, limit: number): Promise<number> {
    return (await this.#database.query({ ...CLAIM, values: [owner, leaseMilliseconds, limit] })).rowCount;
  }

  /** Renews the leases of a process. Resolves to its sources; those that were paused or deleted are missing. */
  async hold({ owner, leaseMilliseconds }: SourceOwner, pythonPool: string | null): Promise<HeldSource[]> {
    const { rows } = await this.#database.query<TriggerRecord & TriggerFlowRow>({
      ...HOLD,
      values: [owner, leaseMilliseconds],
    });
    return rows.map((row) => ({ trigger: row, flow: flowOfTrigger(row, pythonPool) }));
  }

  /** Ends leases at once, so that another process can take the sources. */
  async release(owner: string, triggerIds: readonly string[]): Promise<void> {
    await this.#database.query({ ...RELEASE, values: [owner, uuidArray(triggerIds)] });
  }

  /** Notes what a source does, and why it failed. Has no effect when another process has the source. */
  async note(
    owner: string,
    triggerId: string,
    { state, error }: { readonly state: Exclude<QueueSourceState, 'waiting'>; readonly error: string | null },
  ): Promise<void> {
    await this.#database.query({ ...NOTE, values: [triggerId, owner, state, storableTextOrNull(error)] });
  }

  /** Stores a rejection and drops the oldest ones of the trigger beyond 1,000. */
  async reject(triggerId: string, rejection: QueueRejection): Promise<void> {
    const { reason, detail, messageId, bytes, excerpt } = rejection;
    const texts = [storableText(detail), storableTextOrNull(messageId), bytes, storableTextOrNull(excerpt)];
    await this.#database.query({ ...REJECT, values: [uuidv7(), triggerId, reason, ...texts] });
  }
}
