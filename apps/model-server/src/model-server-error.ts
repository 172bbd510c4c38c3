/** Answered in OpenAI's error shape with this status. */
export class ModelServerError extends Error {
  readonly code = 'model_server_refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ModelServerError';
    this.status = status;
  }

  /** The body as OpenAI's API words it. */
  body(): string {
    const type =
      this.status === 401
        ? 'authentication_error'
        : this.status === 429
          ? 'rate_limit_error'
          : this.status >= 500
            ? 'server_error'
            : 'invalid_request_error';
    return JSON.stringify({ error: { message: this.message, type, param: null, code: null } });
  }
}
