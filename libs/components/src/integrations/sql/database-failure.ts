import { MillraceError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { Duplex } from 'node:stream';
import { connectionError } from './database-address';
import { StatementError } from './sql-statement';

/** Returns the error to throw when connecting or logging in to a database failed. */
export function connectionFailure(error: unknown, context: ComponentContext): Error {
  context.signal.throwIfAborted();
  return error instanceof MillraceError ? error : connectionError(messageOf(error), error);
}

/** Returns the error to throw when a statement failed; the end of the run and an exceeded limit take precedence. */
export function statementFailure(error: unknown, stream: Duplex, context: ComponentContext): Error {
  context.signal.throwIfAborted();
  if (error instanceof MillraceError) return error;
  return stream.errored instanceof MillraceError
    ? stream.errored
    : new StatementError(messageOf(error), error);
}

function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  // Several addresses of one host were tried: each has an error, but the aggregate has no message.
  if ('errors' in error && Array.isArray(error.errors)) return messageOf(error.errors[0]);
  return 'message' in error ? String(error.message) : 'for an unknown reason';
}
