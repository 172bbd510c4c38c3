import type { Transactional } from '@millrace/database';
import type { TransactionEnd } from '../audit/audit-log';
import type { ObjectStore } from '../objects/object-store';
import { FileContents } from './file-contents';
import { FILE_COLUMNS } from './file-record';
import type { FileRecord, NewFile } from './file-record';
import { freeFileName, receiveFile, uploadName, vacateFileName } from './receive-file';

/** How many files one statement settles. */
const SETTLED_FILES = 100;

/** A file was deleted while it was being read. */
export class FileDeletedError extends Error {
  readonly code = 'file_gone';

  constructor(path: string) {
    super(`${path} was deleted while it was being read`);
    this.name = 'FileDeletedError';
  }
}

export interface FileStoreOptions {
  readonly database: Transactional;
  /** For contents above 256 KiB; null, the default, keeps all in the database. */
  readonly objects?: ObjectStore | null;
}

/** Stores uploaded files and their content. Incomplete uploads are invisible. */
export class FileStore {
  readonly #database: Transactional;
  readonly #objects: ObjectStore | null;
  readonly #contents: FileContents;

  constructor({ database, objects = null }: FileStoreOptions) {
    this.#database = database;
    this.#objects = objects;
    this.#contents = new FileContents({ database, objects });
  }

  /** Returns the store whose statements join a transaction. */
  within(transaction: Transactional): FileStore {
    return new FileStore({ database: transaction, objects: this.#objects });
  }

  /**
   * Stores a file while its bytes arrive. Null when its flow was deleted in the meantime or belongs to another user.
   * `onStored` is the end of the transaction that makes the file visible.
   */
  receive(
    file: NewFile,
    content: AsyncIterable<Buffer>,
    onStored?: TransactionEnd<FileRecord>,
  ): Promise<FileRecord | null> {
    return receiveFile(this.#database, file, content, {
      contents: this.#contents,
      nameFor: uploadName,
      onStored,
    });
  }

  /** Stores a file under exactly this name; deletes the file that has the name once the new one is complete. */
  replace(file: NewFile, content: AsyncIterable<Buffer>): Promise<FileRecord | null> {
    return receiveFile(this.#database, file, content, { contents: this.#contents, nameFor: vacateFileName });
  }

  /** Null for unknown files and for files of other users alike. */
  async find(userId: string, id: string): Promise<FileRecord | null> {
    return this.#one('user_id = $1 AND id = $2', [userId, id]);
  }

  /** Returns the user's file with this path, or null. */
  async findByPath(userId: string, path: string): Promise<FileRecord | null> {
    return this.#one('user_id = $1 AND md5(path) = md5($2) AND path = $2', [userId, path]);
  }

  /** Lists the files of a flow, or with null the user's files that belong to no flow; oldest first. */
  async list(userId: string, flowId: string | null): Promise<FileRecord[]> {
    const { rows } = await this.#database.query<FileRecord>({
      text: `SELECT ${FILE_COLUMNS} FROM files
        WHERE user_id = $1 AND flow_id IS NOT DISTINCT FROM $2 AND complete ORDER BY created_at, id`,
      values: [userId, flowId],
    });
    return rows;
  }

  /** Lists the files that a run of the flow can read: the user's files without a flow, and the flow's; oldest first. */
  async listForRun(userId: string, flowId: string, limit: number): Promise<FileRecord[]> {
    const { rows } = await this.#database.query<FileRecord>({
      text: `SELECT ${FILE_COLUMNS} FROM files
        WHERE user_id = $1 AND (flow_id IS NULL OR flow_id = $2) AND complete ORDER BY created_at, id LIMIT $3`,
      values: [userId, flowId, limit],
    });
    return rows;
  }

  /**
   * Yields a file's bytes in parts of up to a megabyte. Throws FileDeletedError when the file is deleted in the meantime, and
   * ObjectStoreUnavailableError.
   */
  async *content({ id, path, sizeBytes }: FileRecord): AsyncGenerator<Buffer> {
    for (let position = 0; position < sizeBytes;) {
      const part = await this.#contents.read(id, position);
      if (part === null || part.length === 0) throw new FileDeletedError(path);
      yield part;
      position += part.length;
    }
  }

  /**
   * Renames a file; a taken name gets the next free number. The path stays, since flows and tweaks have it. Null when the
   * user has no such file.
   */
  rename(userId: string, id: string, wanted: string): Promise<FileRecord | null> {
    return this.#database.transaction(async (connection) => {
      const found = await connection.query<FileRecord>({
        text: `SELECT ${FILE_COLUMNS} FROM files WHERE user_id = $1 AND id = $2 AND complete FOR UPDATE`,
        values: [userId, id],
      });
      const file = found.rows[0];
      if (!file || file.name === wanted) return file ?? null;
      const name = await freeFileName(connection, { ...file, name: wanted }, id);
      const { rows } = await connection.query<FileRecord>({
        text: `UPDATE files SET name = $2, updated_at = now() WHERE id = $1 RETURNING ${FILE_COLUMNS}`,
        values: [id, name],
      });
      return rows[0] ?? null;
    });
  }

  /** False when the user has no such file. */
  async delete(userId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.#database.query({
      text: 'DELETE FROM files WHERE user_id = $1 AND id = $2 AND complete',
      values: [userId, id],
    });
    return rowCount > 0;
  }

  /** Deletes the user's files that belong to no flow; resolves to their number. */
  async deleteAll(userId: string): Promise<number> {
    const { rowCount } = await this.#database.query({
      text: 'DELETE FROM files WHERE user_id = $1 AND flow_id IS NULL AND complete',
      values: [userId],
    });
    return rowCount;
  }

  /** Keeps the files that await a run, because it was stored. */
  async keepOfRun(runId: string): Promise<void> {
    await this.#database.query({
      text: 'UPDATE files SET awaits_run = NULL WHERE awaits_run = $1',
      values: [runId],
    });
  }

  /** Deletes the files that await a run, because it was not stored. */
  async deleteOfRun(runId: string): Promise<void> {
    await this.#database.query({ text: 'DELETE FROM files WHERE awaits_run = $1', values: [runId] });
  }

  /** Keeps or deletes files that still await a run after an hour; resolves to the number of deleted ones. */
  async settleAwaiting(): Promise<number> {
    const { rows } = await this.#database.query<{ deleted: number }>({
      text: `WITH old AS (
          SELECT files.id, runs.id IS NOT NULL AS is_kept FROM files LEFT JOIN runs ON runs.id = files.awaits_run
          WHERE awaits_run IS NOT NULL AND files.created_at < now() - interval '1 hour' LIMIT ${SETTLED_FILES}
        ), kept AS (
          UPDATE files SET awaits_run = NULL FROM old WHERE files.id = old.id AND old.is_kept
        ), deleted AS (
          DELETE FROM files USING old WHERE files.id = old.id AND NOT old.is_kept RETURNING files.id
        ) SELECT count(*)::int AS deleted FROM deleted`,
    });
    return rows[0]?.deleted ?? 0;
  }

  async #one(condition: string, values: readonly unknown[]): Promise<FileRecord | null> {
    const { rows } = await this.#database.query<FileRecord>({
      text: `SELECT ${FILE_COLUMNS} FROM files WHERE ${condition} AND complete`,
      values,
    });
    return rows[0] ?? null;
  }
}
