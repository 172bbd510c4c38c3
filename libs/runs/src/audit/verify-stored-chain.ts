import type { Queryable, Transactional } from '@millrace/database';
import type { ChainLink } from './audit-entry';
import { chainState, readEntries } from './list-entries';
import { verifyChain } from './verify-chain';
import type { ChainVerdict } from './verify-chain';

/** An hour: a snapshot of millions of entries is read in minutes. */
const TIMEOUT_MILLISECONDS = 3_600_000;

/** Verifies all entries of a database, in one snapshot: entries that are written or deleted meanwhile do not count. */
export function verifyStoredChain(
  database: Transactional,
  contains: readonly ChainLink[] = [],
): Promise<ChainVerdict> {
  return database.transaction((connection) => verify(connection, contains), {
    timeoutMilliseconds: TIMEOUT_MILLISECONDS,
  });
}

async function verify(connection: Queryable, contains: readonly ChainLink[]): Promise<ChainVerdict> {
  await connection.query({ text: 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY' });
  const { head, pruned } = await chainState(connection);
  const entries = readEntries(connection, { filter: {}, upTo: Number.MAX_SAFE_INTEGER });
  return verifyChain(entries, { head, pruned, contains });
}
