/** The statuses of refused webhooks by error code, as documented in docs/errors.md. */
export const ingestStatuses = {
  method_not_allowed: 405,
  key_missing: 403,
  key_invalid: 403,
  signature_invalid: 401,
  flow_unknown: 404,
  rate_limited: 429,
  too_many_waiting: 429,
  undecodable_body: 400,
  encoding_refused: 415,
  invalid_value: 400,
  body_too_large: 413,
  ingest_unavailable: 503,
  database_unavailable: 503,
} as const;

export type IngestErrorCode = keyof typeof ingestStatuses;

/** A response other than 202; `body` has the shape that Langflow's clients read. */
export class IngestError extends Error {
  readonly code: IngestErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: IngestErrorCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.code = code;
    this.headers = { ...headers, 'x-error-code': code };
  }

  get status(): number {
    return ingestStatuses[this.code];
  }

  get body(): string {
    return JSON.stringify({ detail: this.message });
  }
}
