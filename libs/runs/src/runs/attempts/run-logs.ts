import { textArray, uuidArray } from '@millrace/database';
import type { Queryable } from '@millrace/database';

/** The characters, and bytes, that are kept of the log of a run: the newest lines. */
export const MAXIMUM_LOG_CHARACTERS = 65_536;

/** A warning or an error that an executor wrote about an attempt of a run. */
export interface RunLogLine {
  /** ISO 8601. */
  readonly at: string;
  readonly level: 'warn' | 'error';
  /** The event in plain words. */
  readonly message: string;
  readonly attempt: number | null;
  /** Further fields of the line, by name. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns a line as `appendRunLogs` takes it: JSON in ASCII, with a line break at its end. */
export function runLogText(line: RunLogLine): string {
  const json = JSON.stringify(line);
  const ascii = json.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${ascii}\n`;
}

// A run that is locked does not delay the others: its lines come again.
const APPEND = {
  name: 'run-logs-append',
  text: `WITH free AS MATERIALIZED (
      SELECT id FROM runs WHERE id = ANY($1::uuid[]) ORDER BY id FOR KEY SHARE SKIP LOCKED
    )
    INSERT INTO run_logs (run_id, lines)
    SELECT free.id, given.lines FROM unnest($1::uuid[], $2::text[]) AS given (run_id, lines)
    JOIN free ON free.id = given.run_id ORDER BY free.id
    ON CONFLICT (run_id) DO UPDATE SET lines = right(run_logs.lines || excluded.lines, ${MAXIMUM_LOG_CHARACTERS})
    RETURNING run_id AS "runId"`,
};

/** See RunStore.appendLogs. */
export async function appendRunLogs(
  database: Queryable,
  logs: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const values = [uuidArray([...logs.keys()]), textArray([...logs.values()])];
  const { rows } = await database.query<{ runId: string }>({ ...APPEND, values });
  return new Set(rows.map(({ runId }) => runId));
}

const READ = { name: 'run-logs-read', text: 'SELECT lines FROM run_logs WHERE run_id = $1' };

/** Returns what is kept of the log of a run, the first line first. */
export async function readRunLog(database: Queryable, runId: string): Promise<readonly RunLogLine[]> {
  const { rows } = await database.query<{ lines: string }>({ ...READ, values: [runId] });
  const [row] = rows;
  if (row === undefined) return [];
  const lines = row.lines.split('\n').slice(0, -1);
  // The limit can have cut the first one.
  const isCut = row.lines.length === MAXIMUM_LOG_CHARACTERS && lines[0]?.startsWith('{"at":') !== true;
  return (isCut ? lines.slice(1) : lines).map((line) => JSON.parse(line) as RunLogLine);
}
