import type { Queryable } from '@millrace/database';
import { ObjectStoreUnavailableError } from '../objects/object-store';
import type { ObjectStore } from '../objects/object-store';
import type { RewrittenTexts } from '../text-templates/rewrite-texts';
import { FileContents } from './file-contents';

const FILES_AT_ONCE = 100;
const MAXIMUM_NAMED = 20;

export interface MoveFilesOptions {
  readonly database: Queryable;
  /** Null: files in objects are counted as missing. */
  readonly objects: ObjectStore | null;
  readonly signal?: AbortSignal;
  /** Called after each file. */
  readonly onProgress?: (place: 'files', rows: number, moved: number) => void;
}

/**
 * Moves the contents of files from the object store to the database, where services of earlier releases read them; they can be read
 * meanwhile. Uploads that have not ended count as locked, and contents that cannot be read as missing.
 */
export async function moveFiles({
  database,
  objects,
  signal,
  onProgress,
}: MoveFilesOptions): Promise<RewrittenTexts> {
  const contents = new FileContents({ database, objects });
  const counts = {
    place: 'files' as const,
    rows: 0,
    rewritten: 0,
    locked: 0,
    missing: 0,
    named: [] as string[],
  };
  for (
    let ids = await nextFiles(database, null);
    ids.length > 0;
    ids = await nextFiles(database, ids.at(-1))
  ) {
    for (const { id, complete } of ids) {
      signal?.throwIfAborted();
      counts.rows += 1;
      if (!complete) counts.locked += 1;
      else if (await isMoved(contents, id)) counts.rewritten += 1;
      else {
        counts.missing += 1;
        if (counts.named.length < MAXIMUM_NAMED) counts.named.push(id);
      }
      onProgress?.('files', counts.rows, counts.rewritten);
    }
  }
  return counts;
}

/** A file that was deleted meanwhile counts as moved. */
async function isMoved(contents: FileContents, id: string): Promise<boolean> {
  try {
    await contents.moveToDatabase(id);
    return true;
  } catch (error) {
    if (error instanceof ObjectStoreUnavailableError) return false;
    throw error;
  }
}

interface FileInObject {
  readonly id: string;
  readonly complete: boolean;
}

/** Uploads that a process left behind are not counted. */
async function nextFiles(
  database: Queryable,
  after: FileInObject | null | undefined,
): Promise<readonly FileInObject[]> {
  const { rows } = await database.query<FileInObject>({
    text: `SELECT id, complete FROM files WHERE object_key IS NOT NULL AND ($1::uuid IS NULL OR id > $1)
      AND (complete OR created_at > now() - interval '1 day') ORDER BY id LIMIT ${FILES_AT_ONCE}`,
    values: [after?.id ?? null],
  });
  return rows;
}
