import { ComponentError } from '@millrace/flow';

/** Why a call got no answer: disallowed address, timeout, unreachable server, or too large an answer. */
export type HttpFailureReason = 'refused' | 'timeout' | 'unreachable' | 'too_large';

/** A call that got no answer. The message contains the host but neither path nor query, which can contain keys. */
export class HttpFailure extends ComponentError {
  readonly reason: HttpFailureReason;
  /** The message without the name of the service. */
  readonly detail: string;
  /** True when the server cannot have received any byte of the request. */
  readonly neverSent: boolean;

  constructor(
    message: string,
    reason: HttpFailureReason,
    options: { readonly detail?: string; readonly neverSent?: boolean; readonly cause?: unknown } = {},
  ) {
    // A server that is away can be back at the next attempt of the run.
    super(message, options.cause, { permanent: reason === 'refused' || reason === 'too_large' });
    this.reason = reason;
    this.detail = options.detail ?? message;
    this.neverSent = options.neverSent ?? false;
  }
}
