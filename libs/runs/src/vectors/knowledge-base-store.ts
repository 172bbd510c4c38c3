import type { Queryable, Transactional } from '@millrace/database';
import { unstorableCharacter } from '@millrace/http';
import type { RunFailure } from '@millrace/messages';
import type { RunStatus } from '../run-record/run-record';
import { translateConstraintErrors } from '../translate-constraint-errors';
import { insertCollection } from './write-vectors';

/** Collections whose names begin with this are knowledge bases; the component Knowledge writes and reads them. */
export const KNOWLEDGE_PREFIX = 'knowledge:';

const CONSTRAINTS = { vector_collections_name: 'name' };
/** Texts in memory at a time. */
const BATCH = 200;

/** What a user chose for a knowledge base. */
export interface KnowledgeSettings {
  readonly provider: string;
  readonly model: string;
  /** The columns of its rows, as Langflow has them. */
  readonly columns: readonly unknown[];
}

export interface KnowledgeBase {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Null for a base that a flow created. */
  readonly settings: KnowledgeSettings | null;
  readonly chunks: number;
  readonly characters: number;
  readonly words: number;
  /** Of texts, metadata and vectors. */
  readonly bytes: number;
  /** The extensions of the files that texts come from, without a dot. */
  readonly fileTypes: readonly string[];
}

/** The newest run that fills a base. */
export interface KnowledgeRun {
  readonly id: string;
  /** The name of the base. */
  readonly name: string;
  readonly status: RunStatus;
  readonly failure: RunFailure | null;
}

/** A stored text, without its vector. */
export interface KnowledgeChunk {
  readonly id: string;
  readonly text: string;
  /** A JSON object, as it was written. */
  readonly metadata: string;
}

const COLUMNS = `collection.id, substr(collection.name, ${KNOWLEDGE_PREFIX.length + 1}) AS name,
  collection.created_at AS "createdAt", collection.settings,
  contents.chunks, contents.characters, contents.words, contents.bytes,
  coalesce(contents."fileTypes", '{}') AS "fileTypes"`;
const SOURCE = `vector_collections AS collection CROSS JOIN LATERAL (
  SELECT count(*) AS chunks, coalesce(sum(char_length(content)), 0)::bigint AS characters,
    coalesce(sum(coalesce(array_length(regexp_split_to_array(nullif(btrim(content, E' \\n\\r\\t'), ''), '\\s+'), 1), 0)), 0)::bigint AS words,
    coalesce(sum(octet_length(content) + octet_length(vector) + octet_length(metadata::text)), 0)::bigint AS bytes,
    array_agg(DISTINCT file_type ORDER BY file_type) FILTER (WHERE file_type IS NOT NULL) AS "fileTypes"
  FROM vector_documents CROSS JOIN LATERAL (
    SELECT lower(substring(readable_json(metadata::text) ->> 'file_name' FROM '[^.][.]([^.]+)$')) AS file_type
  ) AS file WHERE collection_id = collection.id) AS contents`;

/** Manages the knowledge bases of all users: the collections that flows share by name. */
export class KnowledgeBaseStore {
  readonly #database: Transactional;

  constructor({ database }: { readonly database: Transactional }) {
    this.#database = database;
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): KnowledgeBaseStore {
    return new KnowledgeBaseStore({ database: transaction });
  }

  /** Creates an empty base; returns its id. Throws DuplicateError('name') and VectorLimitError. */
  async create(userId: string, name: string, settings: KnowledgeSettings): Promise<string> {
    return translateConstraintErrors(CONSTRAINTS, () =>
      this.#database.transaction(async (connection) => {
        await lockUser(connection, userId);
        return insertCollection(connection, userId, {
          name: KNOWLEDGE_PREFIX + name,
          dimensions: null,
          settings: JSON.stringify(settings),
        });
      }),
    );
  }

  /** Lists the user's bases, newest first. */
  async list(userId: string): Promise<readonly KnowledgeBase[]> {
    const { rows } = await this.#database.query<KnowledgeBase>({
      text: `SELECT ${COLUMNS} FROM ${SOURCE}
        WHERE collection.user_id = $1 AND starts_with(collection.name, '${KNOWLEDGE_PREFIX}')
        ORDER BY collection.created_at DESC, collection.id`,
      values: [userId],
    });
    return rows;
  }

  async find(userId: string, name: string): Promise<KnowledgeBase | null> {
    // No base can have such a name, and the database would reject it as a parameter.
    if (unstorableCharacter(name) !== null) return null;
    const { rows } = await this.#database.query<KnowledgeBase>({
      text: `SELECT ${COLUMNS} FROM ${SOURCE}
        WHERE collection.user_id = $1 AND md5(collection.name) = md5($2) AND collection.name = $2`,
      values: [userId, KNOWLEDGE_PREFIX + name],
    });
    return rows[0] ?? null;
  }

  /** Returns the newest run of a flow that fills bases, for each base; the session of such a run names its base. */
  async latestRuns(userId: string, flowId: string): Promise<readonly KnowledgeRun[]> {
    const { rows } = await this.#database.query<Omit<KnowledgeRun, 'failure'> & { failure: string | null }>({
      text: `SELECT DISTINCT ON (session_id) id, substr(session_id, ${KNOWLEDGE_PREFIX.length + 1}) AS name, status, failure
        FROM runs WHERE user_id = $1 AND flow_id = $2 AND starts_with(session_id, '${KNOWLEDGE_PREFIX}')
        ORDER BY session_id, accepted_at DESC`,
      values: [userId, flowId],
    });
    return rows.map(({ failure, ...row }) => ({
      ...row,
      failure: failure === null ? null : (JSON.parse(failure) as RunFailure),
    }));
  }

  /** Returns the ids of runs of a flow that fill a base, newest first, and how many there are. */
  async runs(
    userId: string,
    flowId: string,
    { name, offset, limit }: { readonly name: string; readonly offset: number; readonly limit: number },
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const condition = 'user_id = $1 AND flow_id = $2 AND session_id = $3';
    const values = [userId, flowId, KNOWLEDGE_PREFIX + name];
    const counted = await this.#database.query<{ total: number }>({
      text: `SELECT count(*) AS total FROM runs WHERE ${condition}`,
      values,
    });
    const { rows } = await this.#database.query<{ id: string }>({
      text: `SELECT id FROM runs WHERE ${condition} ORDER BY accepted_at DESC, id DESC OFFSET $4 LIMIT $5`,
      values: [...values, offset, limit],
    });
    return { ids: rows.map(({ id }) => id), total: counted.rows[0]?.total ?? 0 };
  }

  /** Deletes a base with its texts; returns its id, or null when the user has no such base. */
  async delete(userId: string, name: string): Promise<string | null> {
    if (unstorableCharacter(name) !== null) return null;
    const { rows } = await this.#database.query<{ id: string }>({
      text: `DELETE FROM vector_collections
        WHERE user_id = $1 AND md5(name) = md5($2) AND name = $2 RETURNING id`,
      values: [userId, KNOWLEDGE_PREFIX + name],
    });
    return rows[0]?.id ?? null;
  }

  /** Returns the texts of a base at these places, in the order in which they were written. */
  async page(
    { id }: Pick<KnowledgeBase, 'id'>,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<readonly KnowledgeChunk[]> {
    const { rows } = await this.#database.query<KnowledgeChunk>({
      text: `SELECT id, content AS text, metadata::text AS metadata FROM vector_documents
        WHERE collection_id = $1 ORDER BY position OFFSET $2 LIMIT $3`,
      values: [id, offset, limit],
    });
    return rows;
  }

  /** Yields all texts of a base in the order in which they were written, a few in memory at a time. */
  async *chunks({ id }: Pick<KnowledgeBase, 'id'>): AsyncGenerator<readonly KnowledgeChunk[]> {
    for (let after = 0; ;) {
      const { rows } = await this.#database.query<KnowledgeChunk & { readonly position: number }>({
        text: `SELECT position, id, content AS text, metadata::text AS metadata FROM vector_documents
          WHERE collection_id = $1 AND position > $2 ORDER BY position LIMIT ${BATCH}`,
        values: [id, after],
      });
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last.position;
    }
  }
}

/** Concurrent writers of one user wait, so that the limit of collections holds. */
async function lockUser(connection: Queryable, userId: string): Promise<void> {
  await connection.query({ text: 'SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', values: [userId] });
}
