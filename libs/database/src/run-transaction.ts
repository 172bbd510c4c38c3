import type { ClientBase } from 'pg';
import { beforeDeadline } from './before-deadline';
import type { ConnectionRules } from './connection-path';
import { DatabaseError, DatabaseUnavailableError } from './database';
import type { Queryable, Statement } from './database';
import { sendStatement } from './send-statement';
import type { Answer } from './send-statement';
import { FAILED_TRANSACTION } from './sqlstate';
import { connectionAfter } from './translate-error';

export interface TransactionOutcome<T> {
  readonly result: PromiseSettledResult<T>;
  /** Whether the transaction is over. Otherwise the connection must be dropped, and the server rolls back by itself. */
  readonly isOver: boolean;
}

export interface TransactionLimits {
  /** For the transaction as a whole. */
  readonly timeoutMilliseconds: number;
  /** For each of its statements, when that is not what the connection does anyway. */
  readonly statementTimeoutMilliseconds?: number;
  readonly rules: ConnectionRules;
}

type Send = <Row>(statement: Statement) => Promise<Answer<Row>>;

/** Runs `work` between BEGIN and COMMIT on a connection that nobody else uses meanwhile. Never rejects. */
export async function runTransaction<T>(
  client: ClientBase,
  work: (connection: Queryable) => Promise<T>,
  limits: TransactionLimits,
): Promise<TransactionOutcome<T>> {
  const { rules, statementTimeoutMilliseconds: timeoutMilliseconds } = limits;
  const send = oneAfterTheOther((statement) =>
    sendStatement(client, statement, { isPrepared: rules.preparesStatements, timeoutMilliseconds }),
  );
  let open = true;
  const connection: Queryable = {
    query: async (statement) => {
      if (!open) throw new DatabaseUnavailableError('The transaction is already over');
      return send(statement);
    },
  };
  try {
    const committed = beginWorkCommit(send, () => work(connection), limits);
    const value = await beforeDeadline(committed, limits.timeoutMilliseconds, 'The transaction');
    return { result: { status: 'fulfilled', value }, isOver: true };
  } catch (reason) {
    open = false;
    return { result: { status: 'rejected', reason }, isOver: await rollBack(send, reason) };
  } finally {
    open = false;
  }
}

/** Work may ask several things at once; a connection is asked one at a time. */
function oneAfterTheOther(send: Send): Send {
  let previous: Promise<unknown> = Promise.resolve();
  return <Row>(statement: Statement) => {
    const answer = previous.then(() => send<Row>(statement));
    previous = answer.catch(() => undefined);
    return answer;
  };
}

async function beginWorkCommit<T>(send: Send, work: () => Promise<T>, limits: TransactionLimits): Promise<T> {
  await send({ text: ['BEGIN', ...settingsOf(limits)].join('; ') });
  const value = await work();
  const { command } = await send({ text: 'COMMIT' });
  // The server answers the COMMIT of a transaction in which a statement failed with a silent rollback.
  if (command !== 'COMMIT') {
    throw new DatabaseError(
      'A statement of the transaction failed, so nothing was stored',
      FAILED_TRANSACTION,
    );
  }
  return value;
}

/** What holds until the transaction ends; of two settings of one name the last one counts. */
function settingsOf({ rules, statementTimeoutMilliseconds }: TransactionLimits): string[] {
  const own =
    statementTimeoutMilliseconds === undefined
      ? []
      : [`statement_timeout = ${Math.ceil(statementTimeoutMilliseconds)}`];
  return [...rules.transactionSettings, ...own].map((setting) => `SET LOCAL ${setting}`);
}

/** Resolves to whether the server rolled back. The caller gets the error that caused it. */
async function rollBack(send: Send, reason: unknown): Promise<boolean> {
  // A connection that will be dropped is not asked once more: it may be silent.
  if (connectionAfter(reason) === 'dropped') return false;
  try {
    await send({ text: 'ROLLBACK' });
    return true;
  } catch {
    return false;
  }
}
