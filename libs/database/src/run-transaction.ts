import type { ClientBase } from 'pg';
import { beforeDeadline } from './before-deadline';
import { DatabaseError, DatabaseUnavailableError } from './database';
import type { Queryable } from './database';
import { sendStatement } from './send-statement';
import { leavesConnectionUsable } from './translate-error';

export interface TransactionOutcome<T> {
  readonly result: PromiseSettledResult<T>;
  /** False when the connection must be dropped; the server then rolls back by itself. */
  readonly connectionUsable: boolean;
}

export interface TransactionLimits {
  /** For the transaction as a whole. */
  readonly timeoutMilliseconds: number;
  /** For each of its statements, when that is not what the connection does anyway. */
  readonly statementTimeoutMilliseconds?: number;
}

/** Runs `work` between BEGIN and COMMIT on a connection that nobody else uses meanwhile. Never rejects. */
export async function runTransaction<T>(
  client: ClientBase,
  work: (connection: Queryable) => Promise<T>,
  limits: TransactionLimits,
): Promise<TransactionOutcome<T>> {
  let open = true;
  const connection: Queryable = {
    query: (statement) =>
      open
        ? sendStatement(client, statement, limits.statementTimeoutMilliseconds)
        : Promise.reject(new DatabaseUnavailableError('The transaction is already over')),
  };
  try {
    const committed = beginWorkCommit(client, connection, work, limits);
    const value = await beforeDeadline(committed, limits.timeoutMilliseconds, 'The transaction');
    return { result: { status: 'fulfilled', value }, connectionUsable: true };
  } catch (reason) {
    open = false;
    return { result: { status: 'rejected', reason }, connectionUsable: await rollBack(client, reason) };
  } finally {
    open = false;
  }
}

async function beginWorkCommit<T>(
  client: ClientBase,
  connection: Queryable,
  work: (connection: Queryable) => Promise<T>,
  { statementTimeoutMilliseconds }: TransactionLimits,
): Promise<T> {
  await sendStatement(client, { text: 'BEGIN' });
  if (statementTimeoutMilliseconds !== undefined) {
    await sendStatement(client, { text: `SET LOCAL statement_timeout = ${statementTimeoutMilliseconds}` });
  }
  const value = await work(connection);
  const { command } = await sendStatement(client, { text: 'COMMIT' });
  // The server answers the COMMIT of a transaction in which a statement failed with a silent rollback.
  if (command !== 'COMMIT') {
    throw new DatabaseError('A statement of the transaction failed, so nothing was stored', '25P02');
  }
  return value;
}

/** Returns whether the connection can be used again. The caller gets the error that caused the rollback. */
async function rollBack(client: ClientBase, reason: unknown): Promise<boolean> {
  if (reason instanceof Error && !leavesConnectionUsable(reason)) return false;
  try {
    await sendStatement(client, { text: 'ROLLBACK' });
    return true;
  } catch {
    return false;
  }
}
