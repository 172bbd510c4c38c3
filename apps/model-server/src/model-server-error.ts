/** Answered with this status, in the error shape of the protocol that was spoken. */
export class ModelServerError extends Error {
  readonly code = 'model_server_refused';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ModelServerError';
    this.status = status;
  }
}
