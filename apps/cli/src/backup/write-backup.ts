import { migrationStatus } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { version } from '@millrace/service';
import { StoredApiKey } from '@millrace/standalone';
import { CliError } from '../cli-error';
import { BACKUP_FORMAT, BackupWriter } from './backup-file';
import type { Place } from './place';
import { quoted, storedTables } from './stored-tables';
import type { StoredTable } from './stored-tables';

/** A backup of a large database takes hours. */
export const LONG_MILLISECONDS = 24 * 3_600_000;
const BLOCKS_OF_A_PAGE = 64;
/** Makes texts independent of the server and the role. */
export const TEXT_SETTINGS = `SET LOCAL datestyle = 'ISO'; SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex';
  SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL extra_float_digits = 1`;

export interface WriteBackupOptions {
  readonly place: Place;
  readonly file: string;
  readonly withKeys: boolean;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface WrittenBackup {
  readonly tables: number;
  readonly rows: number;
}

/** Writes all tables, as they are at one moment, to a new file. Services can work meanwhile. */
export async function writeBackup(options: WriteBackupOptions): Promise<WrittenBackup> {
  const { place, file } = options;
  const statuses = await migrationStatus(place.database);
  const wrong = statuses.find(({ state }) => state === 'unknown' || state === 'changed');
  if (wrong !== undefined)
    throw new CliError(
      'configuration',
      `Migration ${wrong.version} of this database is not of this release; back it up with the release that it belongs to.`,
    );
  const migrations = statuses
    .filter(({ state }) => state === 'applied')
    .map(({ version: number, name }) => ({ version: number, name }));
  if (migrations.length === 0) throw new CliError('input', `${place.title} has no tables of Millrace.`);
  const { rows: times } = await place.database.query<{ now: Date }>({ text: 'SELECT now() AS now' });
  const writer = new BackupWriter(file);
  try {
    await writer.write({
      millrace_backup: BACKUP_FORMAT,
      version,
      created_at: times[0]?.now.toISOString() ?? '',
      migrations,
      keys: options.withKeys ? (place.keys ?? null) : null,
      api_key: options.withKeys ? apiKeyOf(place) : null,
    });
    const tables = await place.database.transaction(
      (connection) => writeTables(connection, writer, options),
      { timeoutMilliseconds: LONG_MILLISECONDS },
    );
    return { tables, rows: await writer.end() };
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

function apiKeyOf({ folder }: Place): string | null {
  return folder === undefined ? null : new StoredApiKey(folder, () => undefined).read();
}

async function writeTables(
  connection: Queryable,
  writer: BackupWriter,
  { signal, progress }: WriteBackupOptions,
): Promise<number> {
  await connection.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY' });
  await connection.query({ text: TEXT_SETTINGS });
  const tables = await storedTables(connection);
  for (const table of tables) {
    await writer.write({ table: table.name, columns: table.columns.map(({ name }) => name) });
    const step = table.hasLargeValues ? 1 : BLOCKS_OF_A_PAGE;
    for (let block = 0; block < table.blocks; block += step) {
      signal.throwIfAborted();
      for (const values of await rowsOf(connection, table, block, step)) await writer.write(values);
      progress(`${table.name}: ${Math.min(100, Math.round((100 * (block + step)) / table.blocks))} %`);
    }
  }
  return tables.length;
}

/** Reads the rows of a range of blocks, so that memory does not grow with the table. */
async function rowsOf(
  connection: Queryable,
  { name, columns }: StoredTable,
  block: number,
  count: number,
): Promise<(string | null)[][]> {
  const texts = columns.map((column) => `${quoted(column.name)}::text`).join(', ');
  const { rows } = await connection.query<{ values: (string | null)[] }>({
    text: `SELECT ARRAY[${texts}] AS values FROM ${quoted(name)}
      WHERE ctid >= $1::tid AND ctid < $2::tid`,
    values: [`(${block},0)`, `(${block + count},0)`],
  });
  return rows.map((row) => row.values);
}
