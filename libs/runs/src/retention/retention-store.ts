import type { Database, Queryable } from '@millrace/database';
import { retentionOfFlow } from '../flows/retention-of-flow';
import type { MessageStore, SessionKey } from '../messages/message-store';
import { AdaptiveBatch } from '../runs/pruning/adaptive-batch';

/** What is deleted by age, beside runs: `vertexRecords` are the traces of runs. */
const retainedKinds = ['messages', 'vertexRecords', 'files'] as const;
export type RetainedKind = (typeof retainedKinds)[number];

/** Days after which rows are deleted; what is not named is kept as long as what it belongs to. */
export type RetentionDays = Readonly<Partial<Record<RetainedKind, number>>>;

interface RetainedTable {
  readonly table: string;
  readonly key: string;
  /** The flow of a row, which can have a retention of its own, and whatever else the condition reads. */
  readonly joins: string;
  readonly at: string;
  readonly condition: string;
  /** Maximum number of rows that one statement deletes. */
  readonly limit: number;
}

const TABLES: Readonly<Record<RetainedKind, RetainedTable>> = {
  messages: {
    table: 'messages',
    key: 'id',
    joins: 'JOIN flows ON flows.id = messages.flow_id',
    at: 'messages.timestamp',
    condition: 'true',
    limit: 500,
  },
  vertexRecords: {
    table: 'run_traces',
    key: 'run_id',
    joins: 'JOIN runs ON runs.id = run_traces.run_id JOIN flows ON flows.id = runs.flow_id',
    at: 'runs.finished_at',
    condition: 'true',
    limit: 500,
  },
  files: {
    table: 'files',
    key: 'id',
    joins: 'LEFT JOIN flows ON flows.id = files.flow_id',
    at: 'files.created_at',
    condition: 'files.complete AND files.awaits_run IS NULL',
    // A file can have thousands of chunks, which are deleted with it.
    limit: 4,
  },
};

const BLOCKS = { minimum: 8, maximum: 1_024, milliseconds: 10 };
/** Old rows are deleted at most this long after their time, plus the duration of a pass. */
const PASS_INTERVAL = `interval '6 hours'`;
/** How soon a pass notices that a retention was set. */
const IDLE_INTERVAL = `interval '10 minutes'`;

// The lock on the row gives a table to one process at a time; other processes take the next table that is due.
const TAKE = {
  name: 'retention-take',
  text: `SELECT kind, next_block::float8 AS "nextBlock" FROM retention_passes
    WHERE due_at <= now() AND kind = ANY($1::text[]) ORDER BY due_at, kind LIMIT 1 FOR UPDATE SKIP LOCKED`,
};

const IS_WANTED = {
  name: 'retention-wanted',
  text: `SELECT EXISTS (SELECT FROM flows WHERE position('"retention"' IN settings::text) > 0) AS "isWanted"`,
};

const ADVANCE = {
  name: 'retention-advance',
  text: `UPDATE retention_passes SET next_block = $2, due_at = now() WHERE kind = $1`,
};

const END = {
  name: 'retention-end',
  text: `UPDATE retention_passes SET next_block = 0, due_at = now() + ${PASS_INTERVAL} WHERE kind = $1`,
};

const POSTPONE = {
  name: 'retention-postpone',
  text: `UPDATE retention_passes SET due_at = now() + ${IDLE_INTERVAL} WHERE kind = $1`,
};

/** Outcome of one step. */
export interface RetentionStep {
  readonly kind: RetainedKind;
  readonly deleted: number;
}

/**
 * Deletes messages, vertex records and files that are older than their flow or the installation keeps them. Reads each table
 * block by block, a few at a time, so that no index is needed, each flow can have its own time, and every statement is short.
 */
export class RetentionStore {
  readonly #database: Database;
  readonly #messages: Pick<MessageStore, 'notifyChanged'>;
  readonly #batches: Readonly<Record<RetainedKind, AdaptiveBatch>> = {
    messages: new AdaptiveBatch(BLOCKS),
    vertexRecords: new AdaptiveBatch(BLOCKS),
    files: new AdaptiveBatch(BLOCKS),
  };

  constructor({
    database,
    messages,
  }: {
    readonly database: Database;
    readonly messages: Pick<MessageStore, 'notifyChanged'>;
  }) {
    this.#database = database;
    this.#messages = messages;
  }

  /** Deletes the old rows of the next blocks of one table; null when no table is due. */
  async prune(days: RetentionDays): Promise<RetentionStep | null> {
    const step = await this.#database.transaction((connection) => this.#step(connection, days));
    if (step === null) return null;
    await this.#messages.notifyChanged(step.sessions);
    return { kind: step.kind, deleted: step.deleted };
  }

  async #step(connection: Queryable, days: RetentionDays) {
    const { rows: passes } = await connection.query<{ kind: RetainedKind; nextBlock: number }>({
      ...TAKE,
      values: [retainedKinds],
    });
    const [pass] = passes;
    if (pass === undefined) return null;
    const { kind, nextBlock } = pass;
    if (nextBlock === 0 && !(await isWanted(connection, days[kind]))) {
      await connection.query({ ...POSTPONE, values: [kind] });
      return { kind, deleted: 0, sessions: [] };
    }
    const batch = this.#batches[kind];
    const blocks = batch.size;
    const started = performance.now();
    const { rows, rowCount, blockCount } = await deleteOld(connection, kind, { nextBlock, blocks, days });
    batch.measured(blocks, performance.now() - started);
    // Blocks with more old rows than a statement deletes are read again.
    const next = rowCount < TABLES[kind].limit ? nextBlock + blocks : nextBlock;
    await connection.query(
      next < blockCount ? { ...ADVANCE, values: [kind, next] } : { ...END, values: [kind] },
    );
    return { kind, deleted: rowCount, sessions: kind === 'messages' ? rows : [] };
  }
}

async function isWanted(connection: Queryable, days: number | undefined): Promise<boolean> {
  if (days !== undefined) return true;
  const { rows } = await connection.query<{ isWanted: boolean }>(IS_WANTED);
  return rows[0]?.isWanted === true;
}

interface Blocks {
  readonly nextBlock: number;
  readonly blocks: number;
  readonly days: RetentionDays;
}

async function deleteOld(connection: Queryable, kind: RetainedKind, { nextBlock, blocks, days }: Blocks) {
  const { table, key, joins, at, condition, limit } = TABLES[kind];
  const size = await connection.query<{ blockCount: number }>({
    name: `retention-size-${kind}`,
    text: `SELECT (pg_relation_size('${table}') / current_setting('block_size')::int)::float8 AS "blockCount"`,
  });
  const { rows, rowCount } = await connection.query<SessionKey>({
    name: `retention-delete-${kind}`,
    text: `DELETE FROM ${table} WHERE ${key} = ANY(ARRAY(
        SELECT ${table}.${key} FROM ${table} ${joins}
        WHERE ${table}.ctid >= $1::tid AND ${table}.ctid < $2::tid AND ${condition}
          AND ${at} < now() - coalesce(${retentionOfFlow(kind)}, $3::int) * interval '1 day'
        LIMIT ${limit} FOR UPDATE OF ${table} SKIP LOCKED))
      RETURNING ${kind === 'messages' ? 'user_id AS "userId", flow_id AS "flowId", session_id AS "sessionId"' : '1'}`,
    values: [`(${nextBlock},0)`, `(${nextBlock + blocks},0)`, days[kind] ?? null],
  });
  return { rows, rowCount, blockCount: size.rows[0]?.blockCount ?? 0 };
}
