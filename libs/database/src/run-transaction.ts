import type { ClientBase } from 'pg';
import { beforeDeadline } from './before-deadline';
import type { ConnectionRules } from './connection-path';
import { DatabaseError, DatabaseUnavailableError } from './database';
import type { Queryable, Statement } from './database';
import { sendStatement } from './send-statement';
import type { Answer } from './send-statement';
import { FAILED_TRANSACTION } from './sqlstate';
import { connectionFate } from './translate-error';

export interface TransactionOutcome<T> {
  readonly result: PromiseSettledResult<T>;
  /** Whether the transaction has ended. Otherwise the connection must be dropped, so that the server rolls back. */
  readonly isOver: boolean;
}

export interface TransactionLimits {
  /** Limit of the whole transaction. */
  readonly timeoutMilliseconds: number;
  /** Limit of each statement, if it differs from the connection's. */
  readonly statementTimeoutMilliseconds?: number | undefined;
  readonly rules: ConnectionRules;
}

type Send = <Row>(statement: Statement) => Promise<Answer<Row>>;

/** Runs `work` between BEGIN and COMMIT on a connection that is not shared in the meantime. Never rejects. */
export async function runTransaction<T>(
  client: ClientBase,
  work: (connection: Queryable) => Promise<T>,
  limits: TransactionLimits,
): Promise<TransactionOutcome<T>> {
  const { rules, statementTimeoutMilliseconds: timeoutMilliseconds } = limits;
  const send = serialize((statement) =>
    sendStatement(client, statement, { isPrepared: rules.preparesStatements, timeoutMilliseconds }),
  );
  let open = true;
  const connection: Queryable = {
    query: async (statement) => {
      if (!open) throw new DatabaseUnavailableError('The transaction has already ended');
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

/** Serializes concurrent statements of `work`, because a connection executes one at a time. */
function serialize(send: Send): Send {
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
  // The server answers the COMMIT of a failed transaction with a rollback and no error.
  if (command !== 'COMMIT') {
    throw new DatabaseError(
      'A statement of the transaction failed, so nothing was stored',
      FAILED_TRANSACTION,
    );
  }
  return value;
}

/** Returns the settings for the transaction; of two settings with one name the last one counts. */
function settingsOf({ rules, statementTimeoutMilliseconds }: TransactionLimits): string[] {
  const own =
    statementTimeoutMilliseconds === undefined
      ? []
      : [`statement_timeout = ${Math.ceil(statementTimeoutMilliseconds)}`];
  return [...rules.transactionSettings, ...own].map((setting) => `SET LOCAL ${setting}`);
}

/** Resolves to whether the server rolled back. The caller receives the error that caused the rollback. */
async function rollBack(send: Send, reason: unknown): Promise<boolean> {
  // A connection that will be dropped gets no further statement: it may not answer.
  if (connectionFate(reason) === 'dropped') return false;
  try {
    await send({ text: 'ROLLBACK' });
    return true;
  } catch {
    return false;
  }
}
