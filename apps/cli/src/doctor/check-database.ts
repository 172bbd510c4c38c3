import { databaseEncoding, migrationStatus } from '@millrace/database';
import type { Database } from '@millrace/database';
import { countEncryptedValues, examineTexts, findUnreadableRows, isInObject } from '@millrace/runs';
import type { Encryption } from '@millrace/runs';
import { reasonOf } from '../client/reason-of';
import type { Findings } from './finding';

const OLDEST_POSTGRESQL = 15;
const SKEW_MILLISECONDS = 5_000;
const LOST_AFTER_SECONDS = 120;
const MAXIMUM_NAMED = 20;

export interface DatabaseCheck {
  readonly database: Database;
  /** Undefined when the key is not known. */
  readonly encryption: Encryption | undefined;
  readonly hasObjectStore: boolean;
  readonly isEmbedded: boolean;
  /** The clock of this machine, in milliseconds since the epoch. */
  readonly machineClock: () => number;
  /** Counts of dead and overdue runs; false before the tables exist. */
  readonly findings: Findings;
}

/** Checks version, clock, write access, tables, encryption key and runs. Changes nothing. */
export async function checkDatabase(check: DatabaseCheck): Promise<void> {
  const { database, findings, isEmbedded } = check;
  const version = await database.version();
  findings.fact(isEmbedded ? `embedded database ${version}` : `PostgreSQL ${version}`);
  if (Number.parseInt(version, 10) < OLDEST_POSTGRESQL)
    findings.error(
      'database_old',
      `This is PostgreSQL ${version}; Millrace is tested with ${OLDEST_POSTGRESQL} and newer.`,
      'Upgrade the server.',
    );
  const encoding = await databaseEncoding(database);
  if (encoding !== 'UTF8')
    findings.error(
      'database_encoding',
      `The database has the encoding ${encoding}: PostgreSQL reads no escape of JSON beyond ASCII there.`,
      "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and restore a backup into it.",
    );
  await checkClock(check);
  await checkDurability(check);
  if (!isEmbedded) await checkReplication(check);
  if (!(await checkMigrations(check))) return;
  await checkKey(check);
  await checkRows(check);
  await checkTexts(check);
  await checkObjects(check);
  await checkRuns(check);
}

async function checkClock({ database, machineClock, findings }: DatabaseCheck): Promise<void> {
  const before = machineClock();
  const { rows } = await database.query<{ now: number }>({
    text: `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
  });
  const after = machineClock();
  const skew = (before + after) / 2 - (rows[0]?.now ?? 0);
  const uncertainty = (after - before) / 2;
  if (Math.abs(skew) - uncertainty <= SKEW_MILLISECONDS) return;
  findings.warn(
    'clock_skew',
    `The clock of this machine is ${Math.round(Math.abs(skew) / 1_000)} s ${skew > 0 ? 'ahead of' : 'behind'} that of the database.`,
    'Synchronize both clocks, for example with chrony.',
  );
}

async function checkDurability({ database, findings, isEmbedded }: DatabaseCheck): Promise<void> {
  const { rows } = await database.query<{ name: string; setting: string }>({
    text: `SELECT name, setting FROM pg_settings
      WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'default_transaction_read_only')`,
  });
  const values = new Map(rows.map(({ name, setting }) => [name, setting]));
  if (values.get('default_transaction_read_only') === 'on')
    findings.error(
      'database_read_only',
      'The database is read-only.',
      'Connect to the primary, or ALTER DATABASE … SET default_transaction_read_only = off.',
    );
  if (isEmbedded) return;
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
    if (values.get(name) === 'off')
      findings.error(
        'database_not_durable',
        `${name} is off: a crash of the server can lose accepted runs.`,
        `Set ${name} = on in postgresql.conf.`,
      );
}

/** Warns of standbys that a commit does not wait for: after a failover to one of them, accepted runs can be missing. */
async function checkReplication({ database, findings }: DatabaseCheck): Promise<void> {
  const { rows } = await database.query<{ names: string; commit: string; standbys: number }>({
    text: `SELECT current_setting('synchronous_standby_names') AS names,
      current_setting('synchronous_commit') AS commit,
      (SELECT count(*)::int FROM pg_stat_replication WHERE state IS DISTINCT FROM 'backup') AS standbys`,
  });
  const { names = '', commit = '', standbys = 0 } = rows[0] ?? {};
  const waits = names.trim() !== '' && !['off', 'local'].includes(commit);
  if (standbys === 0 && waits)
    findings.warn(
      'replication_without_standby',
      `synchronous_standby_names is "${names}", but no standby is connected: commits wait until one is.`,
      'Start a standby, or empty synchronous_standby_names.',
    );
  if (standbys === 0 || waits) return;
  findings.warn(
    'replication_asynchronous',
    `${standbys} standbys are connected, but commits do not wait for any: a failover can lose accepted runs.`,
    "Set synchronous_standby_names, such as 'ANY 1 (*)', and synchronous_commit = on.",
  );
}

/** Resolves to false when the tables are not those of this program. */
async function checkMigrations({ database, findings }: DatabaseCheck): Promise<boolean> {
  const statuses = await migrationStatus(database);
  const names = (state: string) =>
    statuses.filter((status) => status.state === state).map(({ name }) => name);
  const [pending, changed, unknown] = [names('pending'), names('changed'), names('unknown')];
  if (pending.length > 0)
    findings.error(
      'migrations_pending',
      `${pending.length} migrations are pending: ${pending.join(', ')}.`,
      'Start a gateway, or run the role migrate, before the other services of this release.',
    );
  if (changed.length > 0)
    findings.error(
      'migrations_changed',
      `The database was migrated with other files: ${changed.join(', ')}.`,
      'Use the release that migrated it, or restore a backup.',
    );
  if (unknown.length > 0)
    findings.warn(
      'migrations_newer',
      `A newer release has migrated the database: ${unknown.join(', ')}.`,
      'Upgrade this program.',
    );
  return pending.length === 0;
}

async function checkKey({ database, encryption, findings }: DatabaseCheck): Promise<void> {
  const { rows } = await database.query<{ value: string }>({
    text: `SELECT encrypted_value AS value FROM encryption_canary`,
  });
  const canary = rows[0]?.value;
  if (canary === undefined) return;
  if (encryption === undefined)
    return findings.error(
      'encryption_key_unset',
      'MILLRACE_ENCRYPTION_KEY is not set, but the database has encrypted values.',
      'Set the key that the services have.',
    );
  if (!encryption.canDecrypt(canary))
    return findings.error(
      'encryption_key_wrong',
      'The encryption key is not that of this database: services do not start.',
      'Set MILLRACE_ENCRYPTION_KEY to the key that wrote the database, alone or behind a new one.',
    );
  await checkEncryptedValues(database, encryption, findings);
}

/** Requests of runs are left out: they can be millions, and `millrace secrets status` counts them. */
async function checkEncryptedValues(
  database: Database,
  encryption: Encryption,
  findings: Findings,
): Promise<void> {
  const places = ['variables', 'mcp_servers', 'triggers'] as const;
  const counts = await countEncryptedValues({ database, encryption, places });
  const unreadable = counts.reduce((sum, one) => sum + one.unreadable, 0);
  const older = counts.reduce((sum, one) => sum + one.older, 0);
  const named = counts.flatMap((one) => one.named.map(({ label }) => `${one.place} ${label}`));
  if (unreadable > 0)
    findings.error(
      'encrypted_values_unreadable',
      `No key opens ${unreadable} values: ${named.slice(0, MAXIMUM_NAMED).join(', ')}${unreadable > MAXIMUM_NAMED ? ', …' : ''}.`,
      'Add the key that encrypted them to MILLRACE_ENCRYPTION_KEY, or set or delete the values.',
    );
  if (older > 0)
    findings.warn(
      'encrypted_values_older',
      `${older} values are not encrypted with the first key.`,
      'millrace secrets rotate',
    );
}

async function checkRows({ database, findings }: DatabaseCheck): Promise<void> {
  const rows = await findUnreadableRows(database);
  if (rows.length === 0) return;
  const named = rows.map(({ place, id, userId }) => `${place} ${id} (user ${userId})`);
  findings.warn(
    'rows_unreadable',
    `${rows.length} rows cannot be read as they were stored: ${named.slice(0, MAXIMUM_NAMED).join(', ')}${rows.length > MAXIMUM_NAMED ? ', …' : ''}.`,
    'A character without a text is read as U+FFFD, and a setting of a wrong type may not apply. Save the flow or trigger again.',
  );
}

async function checkTexts({ database, findings }: DatabaseCheck): Promise<void> {
  const { areCoded, missing } = await examineTexts(database);
  if (areCoded) findings.fact('texts in a form that releases before 0.2 read after millrace rewrite');
  if (missing.length === 0) return;
  const named = missing.map(({ place, id }) => `${place} ${id}`);
  findings.error(
    'text_templates_missing',
    `Texts are read as null, because their templates are not stored: ${named.slice(0, MAXIMUM_NAMED).join(', ')}${named.length > MAXIMUM_NAMED ? ', …' : ''}.`,
    'Copy the rows of text_templates that are missing from a backup; millrace rewrite looks at all rows.',
  );
}

async function checkObjects({ database, hasObjectStore, findings }: DatabaseCheck): Promise<void> {
  const { rows } = await database.query<{ files: number; runs: number; late: number }>({
    text: `SELECT (SELECT count(*)::int FROM files WHERE object_key IS NOT NULL) AS files,
      (SELECT count(*)::int FROM runs WHERE ${isInObject('result')} OR ${isInObject('request')}) AS runs,
      (SELECT count(*)::int FROM (SELECT FROM object_deletions WHERE attempts > 4 OR NOT $1 LIMIT 10000) AS failed) AS late`,
    values: [hasObjectStore],
  });
  const { files = 0, runs = 0, late = 0 } = rows[0] ?? {};
  const stored = `${files} files, and requests or results of ${runs} runs,`;
  if (files + runs > 0)
    findings.fact(`${stored} in the object store, which releases before 0.2 read after millrace rewrite`);
  if (files + runs > 0 && !hasObjectStore)
    findings.error(
      'object_store_unset',
      `${stored} are in an object store, but MILLRACE_OBJECT_STORE_URL is not set.`,
      'Set the URL that the services have.',
    );
  if (late > 0)
    findings.warn(
      'objects_not_deleted',
      `${late} objects of deleted files and runs are still in the object store.`,
      'Start ingest with MILLRACE_OBJECT_STORE_URL; its log says why the store refuses.',
    );
}

async function checkRuns({ database, findings }: DatabaseCheck): Promise<void> {
  const { rows } = await database.query<{ lost: number; dead: number; letters: number; waiting: number }>({
    text: `SELECT
      (SELECT count(*)::int FROM (SELECT FROM runs WHERE durable AND next_sweep_at < now() - make_interval(secs => $1)
        LIMIT 10000) AS overdue) AS lost,
      (SELECT count(*)::int FROM (SELECT FROM runs WHERE status = 'dead' AND failure IS NOT NULL LIMIT 10000) AS ended) AS dead,
      (SELECT count(*)::int FROM dead_letters WHERE due_at < now() - make_interval(secs => $1)) AS letters`,
    values: [LOST_AFTER_SECONDS],
  });
  const { lost = 0, dead = 0, letters = 0 } = rows[0] ?? {};
  if (lost > 0)
    findings.error(
      'runs_not_swept',
      `${lost} durable runs wait for the sweeper since more than ${LOST_AFTER_SECONDS} s: their messages may be lost.`,
      'Start ingest, which publishes them again; they are not lost.',
    );
  if (letters > 0)
    findings.warn(
      'dead_letters_unsent',
      `${letters} notices of dead runs have not reached the broker.`,
      'Start ingest, and check the broker.',
    );
  if (dead > 0)
    findings.warn(
      'runs_dead',
      `${dead} runs are dead.`,
      'millrace dead list, then millrace dead replay or delete.',
    );
  const { rows: admins } = await database.query<{ admins: number }>({
    text: `SELECT count(*)::int AS admins FROM users WHERE is_admin`,
  });
  if (admins[0]?.admins === 0)
    findings.error('admin_missing', 'No user is an admin.', 'Start a gateway, which creates the first user.');
}

/** Returns the finding for a database that cannot be opened. */
export function databaseUnavailable(error: unknown, where: string, findings: Findings): void {
  findings.error(
    'database_unavailable',
    `The database (${where}) cannot be used: ${reasonOf(error)}`,
    'Start the server, and check DATABASE_URL, its user and its password.',
  );
}
