import { migrate, migrationStatus } from '@millrace/database';
import type { Queryable } from '@millrace/database';
import { checkEncryptionKey, Encryption } from '@millrace/runs';
import { StoredApiKey, writeEncryptionKeys } from '@millrace/standalone';
import { CliError } from '../cli-error';
import { BACKUP_FORMAT, readBackup } from './backup-file';
import type { BackupHead, RowLine, TableLine } from './backup-file';
import type { Place } from './place';
import { quoted, storedTables } from './stored-tables';
import type { StoredTable } from './stored-tables';
import { LONG_MILLISECONDS, TEXT_SETTINGS } from './write-backup';

const MAXIMUM_ROWS = 500;
const MAXIMUM_CHARACTERS = 4_000_000;

export interface RestoreOptions {
  readonly place: Place;
  readonly file: string;
  /** Writes the keys of the backup to a file; for PostgreSQL, whose services read them from a setting. */
  readonly writeKeys: ((keys: string) => void) | undefined;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface Restored {
  readonly createdAt: string;
  readonly version: string;
  readonly tables: number;
  readonly rows: number;
}

/** Restores a backup into a database without records, in one transaction: a file that is damaged stores nothing. */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { place, file } = options;
  const { database, logger } = place;
  const lines = readBackup(file);
  const head = (await lines.next()).value as BackupHead;
  await requireReadable(head, place);
  const keys = place.keys ?? head.keys ?? undefined;
  if (keys === undefined)
    throw new CliError(
      'configuration',
      'The backup has no encryption key: set MILLRACE_ENCRYPTION_KEY to the key that it was made with.',
    );
  if (place.folder === undefined && place.keys === undefined && options.writeKeys === undefined)
    throw new CliError(
      'usage',
      'Set MILLRACE_ENCRYPTION_KEY, or write the encryption key of the backup to a file: --key-output <file>',
    );
  await requireEmpty(place);
  // With the tables of then, which later migrations change with their rows.
  await migrate(database, { logger, versions: new Set(head.migrations.map(({ version }) => version)) });
  const counts = await database.transaction((connection) => restoreRows(connection, lines, options, keys), {
    timeoutMilliseconds: LONG_MILLISECONDS,
  });
  await migrate(database, { logger, timeoutMilliseconds: LONG_MILLISECONDS });
  await checkEncryptionKey({ database, encryption: Encryption.from(keys), logger });
  storeKeys(options, head);
  return { createdAt: head.created_at, version: head.version, ...counts };
}

async function requireReadable(head: BackupHead, { database }: Place): Promise<void> {
  const known = await migrationStatus(database);
  const unknown = head.migrations.find(
    ({ version, name }) => !known.some((one) => one.version === version && one.name === name),
  );
  if (head.millrace_backup === BACKUP_FORMAT && unknown === undefined) return;
  throw new CliError(
    'input',
    `The backup is of Millrace ${head.version}, which is newer than this one; restore it with that release.`,
  );
}

/** A standalone app that never had a flow has only its first user and key; even that is not overwritten. */
async function requireEmpty({ database, title }: Place): Promise<void> {
  const known = (await migrationStatus(database)).some(
    ({ state, version }) => version === 1 && state === 'applied',
  );
  if (!known) return;
  const { rows } = await database.query({ text: 'SELECT 1 FROM users LIMIT 1' });
  if (rows.length > 0)
    throw new CliError(
      'refused',
      `${title} has records; restore into an empty database or a new data folder.`,
    );
}

async function restoreRows(
  connection: Queryable,
  lines: AsyncIterable<BackupHead | TableLine | RowLine>,
  { signal, progress }: RestoreOptions,
  keys: readonly string[],
): Promise<Pick<Restored, 'tables' | 'rows'>> {
  await connection.query({ text: TEXT_SETTINGS });
  const tables = await storedTables(connection);
  // The audit log refuses entries that it did not number itself, and an installation begins with one row of its chain.
  for (const { name } of tables)
    await connection.query({ text: `ALTER TABLE ${quoted(name)} DISABLE TRIGGER USER` });
  for (const { name } of [...tables].reverse())
    await connection.query({ text: `DELETE FROM ${quoted(name)}` });
  const counts = { tables: 0, rows: 0 };
  let batch: RowBatch | undefined;
  for await (const line of lines) {
    signal.throwIfAborted();
    if ('table' in line) {
      await batch?.flush();
      batch = new RowBatch(connection, tableOf(tables, line), line.columns);
      counts.tables += 1;
      progress(line.table);
    } else if (Array.isArray(line)) {
      await batch?.add(line as RowLine);
      counts.rows += 1;
    }
  }
  await batch?.flush();
  for (const table of tables) {
    await connection.query({ text: `ALTER TABLE ${quoted(table.name)} ENABLE TRIGGER USER` });
    await continueSequences(connection, table);
  }
  // The original can go on: objects without a row here are not orphans. The copy gets an id of its own with its first object.
  if (tables.some(({ name }) => name === 'object_store'))
    await connection.query({ text: 'DELETE FROM object_store' });
  await requireKey(connection, keys);
  return counts;
}

function tableOf(tables: readonly StoredTable[], { table, columns }: TableLine): StoredTable {
  const found = tables.find(({ name }) => name === table);
  const unknown = columns.find((name) => !found?.columns.some((column) => column.name === name));
  if (found === undefined || unknown !== undefined)
    throw new CliError(
      'input',
      `The backup has ${table}${unknown === undefined ? '' : `.${unknown}`}, which is not known.`,
    );
  return found;
}

/** Rows of one table that are inserted by one statement. */
class RowBatch {
  readonly #connection: Queryable;
  readonly #text: string;
  readonly #width: number;
  #rows: RowLine[] = [];
  #characters = 0;

  constructor(connection: Queryable, { name, columns }: StoredTable, given: readonly string[]) {
    this.#connection = connection;
    this.#width = given.length;
    const typeOf = (column: string) => columns.find((one) => one.name === column)?.type ?? 'text';
    const values = given.map((column, index) => `v${index}::${typeOf(column)}`).join(', ');
    const parameters = given.map((_, index) => `$${index + 1}::text[]`).join(', ');
    const names = given.map((_, index) => `v${index}`).join(', ');
    this.#text = `INSERT INTO ${quoted(name)} (${given.map(quoted).join(', ')}) OVERRIDING SYSTEM VALUE
      SELECT ${values} FROM unnest(${parameters}) AS given (${names})`;
  }

  async add(row: RowLine): Promise<void> {
    this.#rows.push(row);
    for (const value of row) this.#characters += value?.length ?? 0;
    if (this.#rows.length >= MAXIMUM_ROWS || this.#characters >= MAXIMUM_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    const rows = this.#rows;
    this.#rows = [];
    this.#characters = 0;
    const values = Array.from({ length: this.#width }, (_, index) => rows.map((row) => row[index] ?? null));
    await this.#connection.query({ text: this.#text, values });
  }
}

/** Numbers continue after the highest one of the backup. */
async function continueSequences(connection: Queryable, { name }: StoredTable): Promise<void> {
  const { rows } = await connection.query<{ column: string; sequence: string }>({
    text: `SELECT attname AS column, pg_get_serial_sequence($1, attname) AS sequence FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attidentity <> ''`,
    values: [name],
  });
  for (const { column, sequence } of rows)
    await connection.query({
      text: `SELECT setval($1::regclass, coalesce(max(${quoted(column)}), 1), count(*) > 0) FROM ${quoted(name)}`,
      values: [sequence],
    });
}

/** Refuses, before anything is stored, a key that does not decrypt what services of the backup encrypted. */
async function requireKey(connection: Queryable, keys: readonly string[]): Promise<void> {
  const { rows: tables } = await connection.query<{ exists: boolean }>({
    text: `SELECT to_regclass('encryption_canary') IS NOT NULL AS exists`,
  });
  // A release from before it: `checkEncryptionKey` tries the values, once the table exists.
  if (tables[0]?.exists !== true) return;
  const { rows } = await connection.query<{ canary: string }>({
    text: `SELECT encrypted_value AS canary FROM encryption_canary`,
  });
  if (rows.some(({ canary }) => !Encryption.from(keys).canDecrypt(canary)))
    throw new CliError(
      'configuration',
      'The encryption key does not decrypt this backup; nothing was restored.',
    );
}

function storeKeys({ place: { folder, keys }, writeKeys }: RestoreOptions, head: BackupHead): void {
  if (folder !== undefined && keys === undefined && head.keys !== null)
    writeEncryptionKeys(folder, head.keys, { replace: false });
  if (folder !== undefined && head.api_key !== null)
    new StoredApiKey(folder, () => undefined).store(head.api_key);
  if (head.keys !== null) writeKeys?.(head.keys.join(','));
}
