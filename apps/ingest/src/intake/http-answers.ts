import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError, sendHttpError } from '@millrace/http';
import { EncryptionError } from '@millrace/runs';
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
