import type { ServerResponse } from 'node:http';
import { DatabaseError, DatabaseUnavailableError, UNSTORABLE_TEXT } from '@millrace/database';
import { InvalidFlowError } from '@millrace/flow';
import { HttpError, sendHttpError } from '@millrace/http';
import { BusUnavailableError, RefusedError, UnconfirmedError } from '@millrace/messaging';
import { duplicateText } from './refuse-duplicate';
import {
  DuplicateError,
  EncryptionError,
  ObjectStoreUnavailableError,
  SecretStoreUnavailableError,
  UnstorableTextError,
} from '@millrace/runs';
import { RunError } from '../../runs/run-error';
import type { RequestLog } from '../request-log';

const RETRY_SOON = { headers: { 'retry-after': '1' } };

/** Sends an error as the answer. Never exposes a stack or the text of an unexpected error. */
export function answerError(response: ServerResponse, error: unknown, log: RequestLog): void {
  const known = toHttpError(error);
  log.logRefusal(response, known);
  if (response.headersSent) {
    // A part of the answer has been sent. Closing the connection is the only way to mark it as incomplete.
    response.destroy();
    return;
  }
  sendHttpError(response, known);
}

/** Converts an error to an HttpError; an unexpected one becomes `internal`. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof RunError) return runHttpError(error);
  if (error instanceof DatabaseUnavailableError) {
    return new HttpError('database_unavailable', 'The database is not available.', {
      ...RETRY_SOON,
      cause: error,
    });
  }
  if (isBrokerError(error)) {
    return new HttpError('broker_unavailable', 'The message broker is not available.', {
      ...RETRY_SOON,
      cause: error,
    });
  }
  if (error instanceof ObjectStoreUnavailableError) {
    return new HttpError('object_store_unavailable', 'The object store is not available.', {
      ...RETRY_SOON,
      cause: error,
    });
  }
  if (error instanceof SecretStoreUnavailableError)
    return new HttpError(error.code, error.message, { ...RETRY_SOON, cause: error });
  if (error instanceof InvalidFlowError)
    return new HttpError('invalid_flow', error.message, { cause: error });
  if (error instanceof DuplicateError) {
    return new HttpError('duplicate', duplicateText(error), { cause: error });
  }
  const isUnstorable = error instanceof DatabaseError && UNSTORABLE_TEXT.has(error.sqlState);
  if (isUnstorable || error instanceof UnstorableTextError) {
    return new HttpError('invalid_value', 'A value contains characters that cannot be stored.', {
      cause: error,
    });
  }
  if (error instanceof EncryptionError) {
    const text = 'A stored secret cannot be decrypted. The operator of the server must correct its keys.';
    return new HttpError('encryption_failed', text, { cause: error });
  }
  if (error instanceof URIError)
    return new HttpError('undecodable_url', 'The URL cannot be decoded.', { cause: error });
  return new HttpError('internal', 'Internal Server Error', { cause: error });
}

function runHttpError({ code, message, retryAfterSeconds: seconds }: RunError): HttpError {
  return new HttpError(
    code,
    message,
    seconds === null ? {} : { headers: { 'retry-after': String(seconds) } },
  );
}

function isBrokerError(error: unknown): boolean {
  return [BusUnavailableError, RefusedError, UnconfirmedError].some((kind) => error instanceof kind);
}
