import { MillraceError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { Duplex } from 'node:stream';
import { connecting } from './database-address';
import { StatementError } from './sql-statement';

/** The error to throw when a database could not be reached or would not let the flow in. */
export function connectionFailure(error: unknown, context: ComponentContext): Error {
  context.signal.throwIfAborted();
  return error instanceof MillraceError ? error : connecting(messageOf(error), error);
}

/** The error to throw when a statement failed: the run's end or a broken bound, where that is the reason. */
export function statementFailure(error: unknown, stream: Duplex, context: ComponentContext): Error {
  context.signal.throwIfAborted();
  if (error instanceof MillraceError) return error;
  return stream.errored instanceof MillraceError
    ? stream.errored
    : new StatementError(messageOf(error), error);
}

function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  // Several addresses of one name were tried: each has its error, together they have no message.
  if ('errors' in error && Array.isArray(error.errors)) return messageOf(error.errors[0]);
  return 'message' in error ? String(error.message) : 'for an unknown reason';
}
