import type { Queryable } from '@millrace/database';
import type { RewrittenTexts } from '../text-templates/rewrite-texts';
import { isInObject } from '../text-templates/whole-text';
import { ObjectStoreUnavailableError } from './object-store';
import type { ObjectStore } from './object-store';
import { bodyColumns, referenceOf, RunBodies } from './run-bodies';
import type { BodyColumn } from './run-bodies';

const RUNS_AT_ONCE = 100;
const MAXIMUM_NAMED = 20;

export interface MoveBodiesOptions {
  readonly database: Queryable;
  /** Null: bodies in objects are counted as missing. */
  readonly objects: ObjectStore | null;
  readonly signal?: AbortSignal;
  /** Called after each run. */
  readonly onProgress?: (place: 'bodies', rows: number, moved: number) => void;
}

interface RunInObjects extends Readonly<Record<BodyColumn, string | null>> {
  readonly id: string;
}

/** SQL: the column, if its content is in an object. */
const reference = (column: BodyColumn) => `CASE WHEN ${isInObject(column)} THEN ${column} END AS ${column}`;

/**
 * Moves requests and results of runs from the object store to their rows, where services of earlier releases read them; they can be
 * read meanwhile. Those that cannot be read count as missing.
 */
export async function moveBodies({
  database,
  objects,
  signal,
  onProgress,
}: MoveBodiesOptions): Promise<RewrittenTexts> {
  const bodies = new RunBodies({ database, objects });
  const counts = {
    place: 'bodies' as const,
    rows: 0,
    rewritten: 0,
    locked: 0,
    missing: 0,
    named: [] as string[],
  };
  let after: string | null = null;
  do {
    const { rows }: { readonly rows: readonly RunInObjects[] } = await database.query<RunInObjects>({
      text: `SELECT id, ${bodyColumns.map(reference).join(', ')} FROM runs
        WHERE (${isInObject('result')} OR ${isInObject('request')}) AND ($1::uuid IS NULL OR id > $1)
        ORDER BY id LIMIT ${RUNS_AT_ONCE}`,
      values: [after],
    });
    for (const run of rows) {
      signal?.throwIfAborted();
      counts.rows += 1;
      const outcome = await moveBack(database, bodies, run);
      counts[outcome] += 1;
      if (outcome === 'missing' && counts.named.length < MAXIMUM_NAMED) counts.named.push(run.id);
      onProgress?.('bodies', counts.rows, counts.rewritten);
    }
    after = rows.at(-1)?.id ?? null;
  } while (after !== null);
  return counts;
}

/** A run that was deleted meanwhile counts as moved. */
async function moveBack(
  database: Queryable,
  bodies: RunBodies,
  run: RunInObjects,
): Promise<'rewritten' | 'locked' | 'missing'> {
  try {
    for (const column of bodyColumns) {
      const found = referenceOf(run[column]);
      if (found === null) continue;
      const text = await bodies.read(found);
      if (text === null && (await isNamed(database, run, column))) return 'missing';
      if (text === null) continue;
      const { rowCount } = await database.query({
        text: `WITH moved AS (UPDATE runs SET ${column} = $3 WHERE ${column} = $2
            AND id = (SELECT id FROM runs WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED) RETURNING id)
          INSERT INTO object_deletions (key) SELECT $4 FROM moved
          ON CONFLICT (key) DO UPDATE SET due_at = now(), attempts = 0`,
        values: [run.id, run[column], text, found.key],
      });
      if (rowCount === 0 && (await isNamed(database, run, column))) return 'locked';
    }
    return 'rewritten';
  } catch (error) {
    if (error instanceof ObjectStoreUnavailableError) return 'missing';
    throw error;
  }
}

async function isNamed(database: Queryable, run: RunInObjects, column: BodyColumn): Promise<boolean> {
  const { rows } = await database.query({
    text: `SELECT FROM runs WHERE id = $1 AND ${column} = $2`,
    values: [run.id, run[column]],
  });
  return rows.length > 0;
}
