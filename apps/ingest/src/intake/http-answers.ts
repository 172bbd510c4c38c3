import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, sendHttpError } from '@millrace/http';
import { EncryptionError, ObjectStoreUnavailableError, SecretStoreUnavailableError } from '@millrace/runs';
import type { Health } from '@millrace/service';
import type { RefusedWebhook, RefusedWebhookLog } from './refused-webhook-log';

export interface HttpAnswersDependencies {
  readonly health: Pick<Health, 'isShuttingDown'>;
  readonly refusals: RefusedWebhookLog;
}

/** What the doors for HTTP have in common in their answers to senders. */
export class HttpAnswers {
  readonly #dependencies: HttpAnswersDependencies;

  constructor(dependencies: HttpAnswersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Makes clients with a persistent connection send the next request to another process. */
  closeConnectionOnShutdown(response: ServerResponse): void {
    if (this.#dependencies.health.isShuttingDown && !response.headersSent)
      response.setHeader('connection', 'close');
  }

  /** Logs a refusal, and answers with it unless the sender has left or has an answer. */
  refuse(response: ServerResponse, refused: RefusedWebhook): void {
    this.#dependencies.refusals.write(refused);
    if (response.headersSent || response.destroyed) return;
    this.closeConnectionOnShutdown(response);
    sendHttpError(response, refused.refusal);
  }
}

/** Returns the answer to an error; `what` names what the sender sent. */
export function toHttpError(what: 'webhook' | 'event', error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof EncryptionError) {
    const text =
      'The secret of this address cannot be decrypted. The operator of the server must correct its keys.';
    return new HttpError('encryption_failed', text, { cause: error });
  }
  if (error instanceof ObjectStoreUnavailableError) {
    const text = `The ${what} has a large file, which could not be stored; please send it again.`;
    return new HttpError('object_store_unavailable', text, { cause: error, headers: { 'retry-after': '1' } });
  }
  if (error instanceof SecretStoreUnavailableError)
    return new HttpError(error.code, error.message, { cause: error, headers: { 'retry-after': '1' } });
  return notStored(what, error);
}

/** Returns the error after which a sender sends again. */
export function notStored(what: 'webhook' | 'event', cause: unknown): HttpError {
  const text = `The ${what} could not be stored; please send it again.`;
  return new HttpError('database_unavailable', text, { cause, headers: { 'retry-after': '1' } });
}

/** Returns the path of a request without its query, which can contain a key. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/**
 * Returns what matches the URLs with a path such as `/flows/:flow`, also with a slash at its end. The groups are the values of
 * the parameters, which are still encoded and not empty, and the query without its question mark.
 */
export function urlPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '([^/?]+)')}/?(?:\\?(.*))?$`);
}

/** The form of a DNS expression, which names a sender of CloudEvents. */
const ORIGIN = /^[\w.:*-]{1,255}$/;

/**
 * Answers requests by which senders ask whether an address accepts deliveries before they register it: HEAD, and OPTIONS
 * with the headers of CloudEvents. The answer is the same for every address, so that it does not show which ones exist.
 * Returns false for other requests. Throws invalid_value for an origin that is no host name.
 */
export function answerHandshake(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { perMinute }: { readonly perMinute: number | '*' },
): boolean {
  if (method === 'HEAD') {
    response.writeHead(200, { allow: 'POST', 'content-length': 0 }).end();
    return true;
  }
  const origin = headers['webhook-request-origin'];
  if (method !== 'OPTIONS' || typeof origin !== 'string') return false;
  if (!ORIGIN.test(origin))
    throw new HttpError('invalid_value', 'WebHook-Request-Origin must be a host name.');
  response
    .writeHead(200, {
      allow: 'POST',
      'webhook-allowed-origin': origin,
      ...(headers['webhook-request-rate'] !== undefined && { 'webhook-allowed-rate': String(perMinute) }),
      'content-length': 0,
    })
    .end();
  return true;
}
