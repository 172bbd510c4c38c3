/** An error that is sent with this status, in the error format of the request's protocol. */
export class ModelServerError extends Error {
  readonly code = 'model_server_refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ModelServerError';
    this.status = status;
  }
}
