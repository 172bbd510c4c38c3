import { randomUUID } from 'node:crypto';
import type { Queryable, Transactional } from '@millrace/database';
import type { TransactionEnd } from '../audit/audit-log';
import { nextFreeName } from '../flows/next-free-name';
import type { FileContents } from './file-contents';
import { FILE_COLUMNS } from './file-record';
import type { FileRecord, NewFile } from './file-record';

const FILE_NAME = { before: ' (', after: ')' };
/** No upload takes this long: a file that is still incomplete was abandoned by a process that exited. */
const ABANDONED_AFTER = '1 day';

/**
 * Stores a file while its bytes arrive, with one part in memory at a time and without an open transaction. The file
 * becomes visible when it is complete. Null when its flow or user was deleted in the meantime. Rejects with what
 * `content` throws, and then leaves nothing behind.
 */
export async function receiveFile(
  database: Transactional,
  file: NewFile,
  content: AsyncIterable<Buffer>,
  { contents, nameFor, onStored }: ReceiveOptions,
): Promise<FileRecord | null> {
  const id = randomUUID();
  await begin(database, id, file);
  try {
    const { sizeBytes, objectKey } = await contents.write(id, content);
    const completed = await database.transaction(async (connection) => {
      const stored = await complete(connection, id, file, sizeBytes, nameFor);
      if (stored !== null) await onStored?.(connection, stored);
      return stored;
    });
    if (completed === null && objectKey !== null) await contents.forget(objectKey);
    return completed;
  } catch (error) {
    // Best effort: rows that cannot be deleted now are deleted later as abandoned.
    await database.query({ text: 'DELETE FROM files WHERE id = $1', values: [id] }).catch(() => undefined);
    throw error;
  }
}

async function begin(database: Queryable, id: string, { userId, flowId, awaitsRun }: NewFile): Promise<void> {
  await database.query({
    text: `DELETE FROM files WHERE NOT complete AND created_at < now() - interval '${ABANDONED_AFTER}'`,
  });
  await database.query({
    text: `INSERT INTO files (id, user_id, flow_id, awaits_run)
      SELECT $1, users.id, $3, $4 FROM users
      WHERE users.id = $2 AND ($3::uuid IS NULL OR EXISTS (SELECT FROM flows WHERE id = $3 AND user_id = $2))`,
    values: [id, userId, flowId, awaitsRun ?? null],
  });
}

async function complete(
  connection: Queryable,
  id: string,
  file: NewFile,
  sizeBytes: number,
  nameFor: FindFileName,
): Promise<FileRecord | null> {
  const { userId, flowId, extension } = file;
  const name = await nameFor(connection, file);
  const { rows } = await connection.query<FileRecord>({
    text: `UPDATE files SET name = $2, extension = $3, path = $4, size_bytes = $5, complete = true,
        updated_at = now() WHERE id = $1 RETURNING ${FILE_COLUMNS}`,
    values: [id, name, extension, filePath({ userId, flowId, name, extension }), sizeBytes],
  });
  return rows[0] ?? null;
}

export interface ReceiveOptions {
  readonly contents: FileContents;
  readonly nameFor: FindFileName;
  /** The end of the transaction that makes the file visible. */
  readonly onStored?: TransactionEnd<FileRecord> | undefined;
}

/** Returns the file's name, within the transaction that makes the file visible. */
type FindFileName = (connection: Queryable, file: NewFile) => Promise<string>;

/**
 * Returns the name, or its next free variant within the flow (or the user's files). Locks the user's file names. A name
 * is taken by a file that has it, and by a renamed file whose path still has it, unless it is the file `except`.
 */
export async function freeFileName(
  connection: Queryable,
  { userId, flowId, name, extension }: NewFile,
  except: string | null = null,
): Promise<string> {
  await lockNames(connection, userId);
  const { rows } = await connection.query<{ name: string; fullName: string }>({
    text: `SELECT name, "fullName" FROM files,
        LATERAL (VALUES (name || extension), (substr(path, 38))) AS names ("fullName")
      WHERE user_id = $1 AND flow_id IS NOT DISTINCT FROM $2 AND complete AND starts_with("fullName", $3)
        AND id IS DISTINCT FROM $4`,
    values: [userId, flowId, name, except],
  });
  // "a.b" without an extension has the same path as "a" with ".b".
  const taken = rows.flatMap((row) => [
    row.name,
    ...(row.fullName.endsWith(extension)
      ? [row.fullName.slice(0, row.fullName.length - extension.length)]
      : []),
  ]);
  return nextFreeName(name, taken, FILE_NAME);
}

/** The number at the end of a name. */
const NUMBER = /\((\d{1,9})\)(?=\.\w+$|$)/u;

/**
 * Returns the name of an upload, as Langflow chooses it for a user's files: when the names of some begin with it, it gets the
 * number after the highest that these end with.
 */
export async function uploadName(connection: Queryable, file: NewFile): Promise<string> {
  const { userId, flowId, name, awaitsRun } = file;
  if (flowId !== null || awaitsRun !== undefined) return freeFileName(connection, file);
  await lockNames(connection, userId);
  const { rows } = await connection.query<{ name: string }>({
    text: `SELECT name FROM files WHERE user_id = $1 AND flow_id IS NULL AND complete AND starts_with(name, $2)`,
    values: [userId, name],
  });
  const last = rows.reduce((highest, row) => Math.max(highest, Number(NUMBER.exec(row.name)?.[1] ?? 0)), 0);
  const numbered = rows.length === 0 ? name : `${name} (${last + 1})`;
  return freeFileName(connection, { ...file, name: numbered });
}

/** Deletes the file that has this name and returns the name. Locks the user's file names. */
export async function vacateFileName(connection: Queryable, file: NewFile): Promise<string> {
  await lockNames(connection, file.userId);
  await connection.query({
    text: 'DELETE FROM files WHERE user_id = $1 AND md5(path) = md5($2) AND path = $2 AND complete',
    values: [file.userId, filePath(file)],
  });
  return file.name;
}

async function lockNames(connection: Queryable, userId: string): Promise<void> {
  await connection.query({
    text: 'SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE',
    values: [userId],
  });
}

/** Returns the path by which callers and flows refer to a file. */
function filePath({ userId, flowId, name, extension }: NewFile): string {
  return `${flowId ?? userId}/${name}${extension}`;
}
