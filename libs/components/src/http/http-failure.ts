import { ComponentError } from '@millrace/flow';

/** Why a call got no answer: an address that is not allowed, too slow, nobody there, or more than fits. */
export type HttpFailureReason = 'refused' | 'timeout' | 'unreachable' | 'too_large';

/** A call that got no answer. The message names the host but no path and no query: these may hold keys. */
export class HttpFailure extends ComponentError {
  readonly reason: HttpFailureReason;
  /** The message without the name of the service. */
  readonly detail: string;
  /** True when not a byte of the request can have arrived. */
  readonly neverSent: boolean;

  constructor(
    message: string,
    reason: HttpFailureReason,
    options: { readonly detail?: string; readonly neverSent?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause);
    this.reason = reason;
    this.detail = options.detail ?? message;
    this.neverSent = options.neverSent ?? false;
  }
}
