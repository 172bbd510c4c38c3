import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { Client } from 'pg';
import { jsonDumpsCompactAscii, parsePythonJson } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import type { DatabaseAddress } from '../sql/database-address';
import { statementFailure } from '../sql/database-failure';
import { login } from '../sql/query-postgres';
import { batches } from '../http/batches';
import type { FoundText, StoredText, StoreSearch, VectorStore } from '../vector-stores/vector-store';

/** Maximum number of rows in one statement. */
const maximumRows = 100;

/** LangChain's tables for collections, created when they do not exist. */
const tables = `
  CREATE TABLE IF NOT EXISTS langchain_pg_collection (
    name varchar, cmetadata json, uuid uuid PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS langchain_pg_embedding (
    collection_id uuid REFERENCES langchain_pg_collection (uuid) ON DELETE CASCADE,
    embedding vector, document varchar, cmetadata json, custom_id varchar, uuid uuid PRIMARY KEY)`;

/** A collection in PostgreSQL with the extension "vector", in LangChain's tables. */
export class PgvectorStore implements VectorStore {
  readonly makesVectors = false;
  readonly #address: DatabaseAddress;
  readonly #collection: string;
  readonly #context: ComponentContext;

  constructor(address: DatabaseAddress, collection: string, context: ComponentContext) {
    this.#address = address;
    this.#collection = collection;
    this.#context = context;
  }

  add(texts: readonly StoredText[]): Promise<void> {
    return this.#use(async (client) => {
      await client.query('BEGIN');
      await prepare(client);
      const collection = await this.#collectionId(client);
      for (const batch of batches(texts, maximumRows)) {
        await client.query(
          `INSERT INTO langchain_pg_embedding (uuid, custom_id, collection_id, document, cmetadata, embedding)
            SELECT id::uuid, id, $1, document, metadata::json, embedding::vector
            FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) AS given (id, document, metadata, embedding)
            ON CONFLICT (uuid) DO NOTHING`,
          [
            collection,
            batch.map(({ id }) => id),
            batch.map(({ text }) => text),
            batch.map(({ metadata }) => jsonDumpsCompactAscii(metadata)),
            batch.map(({ vector }) => JSON.stringify(vector)),
          ],
        );
      }
      await client.query('COMMIT');
    });
  }

  search({ vector, limit, withVectors }: StoreSearch): Promise<readonly FoundText[]> {
    return this.#use(async (client) => {
      const { rows } = await client.query<Row>(
        `SELECT e.document, e.cmetadata::text AS metadata, 1 - (e.embedding <=> $2::vector) AS similarity,
            CASE WHEN $4 THEN e.embedding::text END AS vector
          FROM langchain_pg_embedding AS e
          JOIN langchain_pg_collection AS c ON c.uuid = e.collection_id
          WHERE c.name = $1 ORDER BY e.embedding <=> $2::vector LIMIT $3`,
        [this.#collection, JSON.stringify(vector), limit, withVectors],
      );
      return rows.map((row) => ({
        text: row.document ?? '',
        metadata: metadataOf(row.metadata),
        similarity: (1 + row.similarity) / 2,
        vector: row.vector === null ? null : (JSON.parse(row.vector) as number[]),
      }));
    });
  }

  async #collectionId(client: Client): Promise<string> {
    // Without the lock, two concurrent runs could create the collection twice.
    await client.query('LOCK TABLE langchain_pg_collection IN SHARE ROW EXCLUSIVE MODE');
    await client.query(
      `INSERT INTO langchain_pg_collection (name, cmetadata, uuid)
        SELECT $1::varchar, 'null', gen_random_uuid()
        WHERE NOT EXISTS (SELECT FROM langchain_pg_collection WHERE name = $1)`,
      [this.#collection],
    );
    const { rows } = await client.query<{ uuid: string }>(
      'SELECT uuid FROM langchain_pg_collection WHERE name = $1 LIMIT 1',
      [this.#collection],
    );
    return rows[0]?.uuid ?? '';
  }

  async #use<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const { client, stream } = await login(this.#address, this.#context);
    try {
      const milliseconds = String(Math.max(1, Math.ceil(this.#context.remainingMilliseconds())));
      await client.query(`SELECT set_config('statement_timeout', $1, false)`, [milliseconds]);
      return await work(client);
    } catch (error) {
      const failure = statementFailure(error, stream, this.#context);
      throw failure instanceof ComponentError
        ? failure
        : new ComponentError(`PGVector: ${failure.message}`, failure);
    } finally {
      void client.end();
    }
  }
}

interface Row {
  readonly document: string | null;
  readonly metadata: string | null;
  readonly similarity: number;
  readonly vector: string | null;
}

/** Creates the extension and the tables when they do not exist, which needs privileges that not every user has. */
async function prepare(client: Client): Promise<void> {
  const { rows } = await client.query<{ known: boolean }>(`SELECT to_regtype('vector') IS NOT NULL AS known`);
  if (rows[0]?.known !== true) await client.query('CREATE EXTENSION IF NOT EXISTS vector');
  await client.query(tables);
}

function metadataOf(text: string | null): PythonObject {
  const value = text === null ? null : parsePythonJson(text);
  return isDict(value) ? value : {};
}
