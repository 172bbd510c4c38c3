import { DatabaseError, UNDEFINED_TABLE } from '@millrace/database';
import type { Database } from '@millrace/database';
import { SettingsError } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { Encryption } from './encryption';

const CANARY = 'canary';
const KEY_MISMATCH =
  'MILLRACE_ENCRYPTION_KEY lists none of the keys that this database was written with; list that key, alone or behind ' +
  'a new one. Unless it is set, the standalone app reads the key from the file encryption-key of its data directory.';

export interface EncryptionKeyCheck {
  readonly database: Database;
  readonly encryption: Encryption;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Checks that the configured keys fit this database. The first service that starts on a database stores an encrypted
 * canary; from then on one of the keys must decrypt it, and the first key re-encrypts it when another one wrote it.
 * Without a canary, because an earlier version wrote the data, one of the keys must decrypt some of the values. Throws
 * SettingsError. Safe under concurrent starts.
 */
export async function checkEncryptionKey(check: EncryptionKeyCheck): Promise<void> {
  const { database, encryption, logger } = check;
  const found = await readCanary(database);
  const samples = await sampleValues(database);
  const undecryptable = samples.filter(({ sample }) => !encryption.canDecrypt(sample));
  if (!found.canary && samples.length > 0 && undecryptable.length === samples.length)
    throw keyMismatchError();
  const canary = found.canary ?? (found.isPossible ? await writeCanary(check) : undefined);
  if (canary !== undefined && !encryption.canDecrypt(canary)) throw keyMismatchError();
  await reencryptCanary(database, encryption);
  const values = undecryptable.reduce((sum, { count }) => sum + count, 0);
  if (values > 0) {
    const event = 'stored values cannot be decrypted: MILLRACE_ENCRYPTION_KEY does not list their key';
    logger.warn({ values }, event);
  }
}

function keyMismatchError(): SettingsError {
  return new SettingsError([KEY_MISMATCH]);
}

interface FoundCanary {
  readonly canary: string | undefined;
  /** False before the migration that creates the table: executors can be deployed before it. */
  readonly isPossible: boolean;
}

async function readCanary(database: Database): Promise<FoundCanary> {
  const rows = await rowsUnlessMissing<{ canary: string }>(
    database,
    `SELECT encrypted_value AS canary FROM encryption_canary`,
  );
  return { canary: rows?.[0]?.canary, isPossible: rows !== null };
}

/** The first of several concurrent writers wins; all of them get the canary that it wrote. */
async function writeCanary({ database, encryption }: EncryptionKeyCheck): Promise<string | undefined> {
  await database.query({
    text: `INSERT INTO encryption_canary (encrypted_value) VALUES ($1) ON CONFLICT DO NOTHING`,
    values: [encryption.encrypt(CANARY)],
  });
  return (await readCanary(database)).canary;
}

/** Whether a service has started with the first key in front: only then do services write with it. */
export async function isFirstKeyInUse(database: Database, encryption: Encryption): Promise<boolean> {
  const { canary } = await readCanary(database);
  return canary === undefined || encryption.isEncryptedWithFirstKey(canary);
}

/** Encrypts the canary with the first key, if another one of the keys encrypted it. */
export async function reencryptCanary(database: Database, encryption: Encryption): Promise<void> {
  const { canary } = await readCanary(database);
  if (canary === undefined || encryption.isEncryptedWithFirstKey(canary)) return;
  if (encryption.canDecrypt(canary)) await rewriteCanary({ database, encryption }, canary);
}

async function rewriteCanary(
  { database, encryption }: Pick<EncryptionKeyCheck, 'database' | 'encryption'>,
  canary: string,
): Promise<void> {
  await database.query({
    text: `UPDATE encryption_canary SET encrypted_value = $1 WHERE encrypted_value = $2`,
    values: [encryption.encrypt(CANARY), canary],
  });
}

interface SampledKey {
  /** A value that was encrypted with the key. */
  readonly sample: string;
  readonly count: number;
}

/** Returns one value per key among variables and MCP servers, and the number of values. */
async function sampleValues(database: Database): Promise<SampledKey[]> {
  const rows = await rowsUnlessMissing<SampledKey>(
    database,
    `SELECT min(value) AS sample, count(*) AS count FROM (
      SELECT encrypted_value AS value FROM variables UNION ALL SELECT encrypted_config FROM mcp_servers
    ) AS encrypted GROUP BY split_part(value, '.', 2)`,
  );
  return rows ?? [];
}

/** Null when a table does not exist. */
async function rowsUnlessMissing<Row>(database: Database, text: string): Promise<Row[] | null> {
  try {
    return (await database.query<Row>({ text })).rows;
  } catch (error) {
    if (error instanceof DatabaseError && error.sqlState === UNDEFINED_TABLE) return null;
    throw error;
  }
}
