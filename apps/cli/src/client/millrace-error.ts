/** `refused`: by the server, or before it is sent. `unavailable`: the server did not answer, or answered that it cannot serve now, so the same request can succeed later. */
export type MillraceErrorReason = 'refused' | 'unavailable' | 'interrupted';

/** A request without a useful answer. Its message never contains the key. */
export class MillraceError extends Error {
  readonly reason: MillraceErrorReason;
  /** The status of the answer; null without one. */
  readonly status: number | null;
  /** The code of `X-Error-Code`, such as `flow_unknown`; null without one. */
  readonly code: string | null;
  /** When the server asks for the next attempt, in seconds: its `Retry-After`; null without one. */
  readonly retryAfterSeconds: number | null;

  constructor(reason: MillraceErrorReason, message: string, details: MillraceErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'MillraceError';
    this.reason = reason;
    this.status = details.status ?? null;
    this.code = details.code ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

interface MillraceErrorDetails {
  readonly status?: number | undefined;
  readonly code?: string | null | undefined;
  readonly retryAfterSeconds?: number | null | undefined;
  readonly cause?: unknown;
}
