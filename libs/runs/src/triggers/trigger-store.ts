import { randomBytes } from 'node:crypto';
import type { Queryable } from '@millrace/database';
import { storableText } from '@millrace/python-text';
import { uuidv7 } from '@millrace/service';
import type { FlowReference } from '../flows/flow-record';
import { storableJson } from '../storable-json';
import type { Encryption } from '../encryption/encryption';
import { FLOW_LIMITS } from '../limits/limits';
import { flowOfTrigger } from './flow-of-trigger';
import type { TriggerFlowRow } from './flow-of-trigger';
import { EVENT_COLUMNS } from './trigger-event-record';
import type { TriggerEventRecord } from './trigger-event-record';
import type { QueueRejectionRecord } from './queue-source-record';
import { TRIGGER_COLUMNS } from './trigger-record';
import type { TriggerKind } from '../run-record/trigger-kind';
import type { NewTrigger, TriggerChanges, TriggerRecord } from './trigger-record';

const PUBLIC_ID_BYTES = 24;
const SECRET_BYTES = 32;

export interface TriggerPage {
  readonly limit: number;
  readonly offset: number;
}

/** The address of an inbound webhook and its secret, which is readable this one time. */
export interface SigningSecret {
  readonly publicId: string;
  readonly secret: string;
}

/** A trigger, its secret and its flow, for a request to its address. */
export interface AddressedTrigger {
  readonly trigger: TriggerRecord;
  readonly secret: string;
  readonly flow: FlowReference;
}

export interface TriggerStoreOptions {
  readonly database: Queryable;
  readonly encryption: Encryption;
}

/** Stores the triggers of all users. Methods with a user id reach that user's triggers only. */
export class TriggerStore {
  readonly #database: Queryable;
  readonly #encryption: Encryption;

  constructor({ database, encryption }: TriggerStoreOptions) {
    this.#database = database;
    this.#encryption = encryption;
  }

  /** Returns the store whose statements join a transaction. */
  within(database: Queryable): TriggerStore {
    return new TriggerStore({ database, encryption: this.#encryption });
  }

  /** Counts a user's triggers, of one kind when it is given. */
  async count(userId: string, kind: TriggerKind | null = null): Promise<number> {
    const { rows } = await this.#database.query<{ count: number }>({
      text: `SELECT count(*)::int AS count FROM triggers WHERE user_id = $1 AND ($2::text IS NULL OR kind = $2)`,
      values: [userId, kind],
    });
    return rows[0]?.count ?? 0;
  }

  /** Stores a trigger of the user's flow; null when the user has no such flow. */
  async create(
    userId: string,
    trigger: NewTrigger,
    { id = uuidv7(), createdAt = null }: { readonly id?: string; readonly createdAt?: Date | null } = {},
  ): Promise<TriggerRecord | null> {
    const { flowId, name, kind, nodeId, config, state, sessionPolicy } = trigger;
    const { rows } = await this.#database.query<TriggerRecord>({
      text: `INSERT INTO triggers (id, flow_id, user_id, name, kind, node_id, config, state, session_policy,
          concurrency_limit, max_attempts, flow_version, next_occurrence_at, next_fire_at, created_at)
        SELECT $1, flows.id, flows.user_id, $4, $5, $6, $7::text::json, $8, $9, $10::int, $11::int, $12::int,
          $13::timestamptz, $14::timestamptz, coalesce($15::timestamptz, now())
        FROM flows WHERE flows.id = $2 AND flows.user_id = $3
        RETURNING ${TRIGGER_COLUMNS}`,
      values: [
        id,
        flowId,
        userId,
        storableText(name),
        kind,
        nodeId === null ? null : storableText(nodeId),
        storableJson(config),
        state,
        sessionPolicy,
        trigger.concurrencyLimit,
        trigger.maximumAttempts,
        trigger.flowVersion,
        trigger.nextOccurrenceAt,
        trigger.nextFireAt,
        createdAt,
      ],
    });
    return rows[0] ?? null;
  }

  /** Changes a trigger; null when the user has no such trigger. */
  async update(userId: string, id: string, changes: TriggerChanges): Promise<TriggerRecord | null> {
    const columns = changedColumns(changes);
    const assignments = columns.map(([column, cast], index) => `${column} = $${index + 3}${cast}`);
    const { rows } = await this.#database.query<TriggerRecord>({
      text: `UPDATE triggers SET ${['updated_at = now()', ...assignments].join(', ')}
        WHERE id = $1 AND user_id = $2 RETURNING ${TRIGGER_COLUMNS}`,
      values: [id, userId, ...columns.map(([, , value]) => value)],
    });
    return rows[0] ?? null;
  }

  /** Deletes a trigger with its events; their runs stay. Null when the user has no such trigger. */
  async remove(userId: string, id: string): Promise<TriggerRecord | null> {
    const { rows } = await this.#database.query<TriggerRecord>({
      text: `DELETE FROM triggers WHERE id = $1 AND user_id = $2 RETURNING ${TRIGGER_COLUMNS}`,
      values: [id, userId],
    });
    return rows[0] ?? null;
  }

  async find(userId: string, id: string): Promise<TriggerRecord | null> {
    const { rows } = await this.#database.query<TriggerRecord>({
      text: `SELECT ${TRIGGER_COLUMNS} FROM triggers WHERE id = $1 AND user_id = $2`,
      values: [id, userId],
    });
    return rows[0] ?? null;
  }

  /** The triggers of a user's flow, oldest first. */
  async list(userId: string, flowId: string, { limit, offset }: TriggerPage): Promise<TriggerRecord[]> {
    const { rows } = await this.#database.query<TriggerRecord>({
      text: `SELECT ${TRIGGER_COLUMNS} FROM triggers WHERE flow_id = $1 AND user_id = $2
        ORDER BY created_at, id LIMIT $3 OFFSET $4`,
      values: [flowId, userId, limit, offset],
    });
    return rows;
  }

  /** All triggers of a kind that a user has, oldest first. */
  async listKind(
    userId: string,
    kind: TriggerKind,
    { limit, offset }: TriggerPage,
  ): Promise<TriggerRecord[]> {
    const { rows } = await this.#database.query<TriggerRecord>({
      text: `SELECT ${TRIGGER_COLUMNS} FROM triggers WHERE user_id = $1 AND kind = $2
        ORDER BY created_at, id LIMIT $3 OFFSET $4`,
      values: [userId, kind, limit, offset],
    });
    return rows;
  }

  /** Makes a new secret for an inbound webhook, and its address unless it has one. The old secret ends. */
  async rotateSecret(userId: string, id: string): Promise<SigningSecret | null> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const publicId = randomBytes(PUBLIC_ID_BYTES).toString('base64url');
    const { rows } = await this.#database.query<{ publicId: string }>({
      text: `UPDATE triggers SET encrypted_secret = $3, public_id = coalesce(public_id, $4), updated_at = now()
        WHERE id = $1 AND user_id = $2 RETURNING public_id AS "publicId"`,
      values: [id, userId, this.#encryption.encrypt(secret), publicId],
    });
    const [row] = rows;
    return row ? { publicId: row.publicId, secret } : null;
  }

  /**
   * Finds the inbound webhook with this address; null for unknown and paused ones. `pythonPool` is the pool of flows that need
   * Python and name no pool.
   */
  async findByAddress(publicId: string, pythonPool: string | null): Promise<AddressedTrigger | null> {
    const { rows } = await this.#database.query<TriggerRecord & AddressedColumns>({
      name: 'trigger-by-address',
      text: `SELECT ${TRIGGER_COLUMNS}, triggers.encrypted_secret AS "encryptedSecret", flows.name AS "flowName",
          flows.version, flows.settings, coalesce(flows.needs_python, false) AS "needsPython",
          flows.folder_id AS "projectId", ${FLOW_LIMITS} AS limits
        FROM triggers JOIN flows ON flows.id = triggers.flow_id
        WHERE triggers.public_id = $1 AND triggers.kind = 'inbound_webhook' AND triggers.state <> 'paused'`,
      values: [storableText(publicId)],
    });
    const [row] = rows;
    if (!row) return null;
    const secret = this.#encryption.decrypt(row.encryptedSecret);
    return { trigger: row, secret, flow: flowOfTrigger(row, pythonPool) };
  }

  /** The events of a user's trigger, newest first. */
  async events(
    userId: string,
    triggerId: string,
    { limit, offset }: TriggerPage,
  ): Promise<TriggerEventRecord[]> {
    const { rows } = await this.#database.query<TriggerEventRecord>({
      text: `SELECT ${EVENT_COLUMNS} FROM triggers JOIN trigger_events ON trigger_events.trigger_id = triggers.id
        JOIN runs ON runs.id = trigger_events.run_id
        WHERE triggers.id = $1 AND triggers.user_id = $2
        ORDER BY trigger_events.created_at DESC, trigger_events.id DESC LIMIT $3 OFFSET $4`,
      values: [triggerId, userId, limit, offset],
    });
    return rows;
  }

  /** The messages that a user's trigger rejected, newest first. */
  async rejections(
    userId: string,
    triggerId: string,
    { limit, offset }: TriggerPage,
  ): Promise<QueueRejectionRecord[]> {
    const { rows } = await this.#database.query<QueueRejectionRecord>({
      text: `SELECT rejected.id, rejected.reason, rejected.detail, rejected.message_id AS "messageId",
          rejected.bytes::float8 AS bytes, rejected.excerpt, rejected.created_at AS "createdAt"
        FROM triggers JOIN queue_rejections AS rejected ON rejected.trigger_id = triggers.id
        WHERE triggers.id = $1 AND triggers.user_id = $2
        ORDER BY rejected.created_at DESC, rejected.id DESC LIMIT $3 OFFSET $4`,
      values: [triggerId, userId, limit, offset],
    });
    return rows;
  }

  async event(userId: string, triggerId: string, id: string): Promise<TriggerEventRecord | null> {
    const { rows } = await this.#database.query<TriggerEventRecord>({
      text: `SELECT ${EVENT_COLUMNS} FROM triggers JOIN trigger_events ON trigger_events.trigger_id = triggers.id
        JOIN runs ON runs.id = trigger_events.run_id
        WHERE triggers.id = $1 AND triggers.user_id = $2 AND trigger_events.id = $3`,
      values: [triggerId, userId, id],
    });
    return rows[0] ?? null;
  }
}

interface AddressedColumns extends TriggerFlowRow {
  readonly encryptedSecret: string;
}

type ChangedColumn = readonly [column: string, cast: string, value: unknown];

function changedColumns(changes: TriggerChanges): ChangedColumn[] {
  const { name, config } = changes;
  const values: ChangedColumn[] = [
    ['name', '', name === undefined ? undefined : storableText(name)],
    ['config', '::text::json', config && storableJson(config)],
    ['state', '', changes.state],
    ['session_policy', '', changes.sessionPolicy],
    ['concurrency_limit', '', changes.concurrencyLimit],
    ['max_attempts', '', changes.maximumAttempts],
    ['flow_version', '', changes.flowVersion],
    ['next_occurrence_at', '', changes.nextOccurrenceAt],
    ['next_fire_at', '', changes.nextFireAt],
    ['last_error', '', changes.lastError && storableText(changes.lastError)],
  ];
  return values.filter(([, , value]) => value !== undefined);
}
