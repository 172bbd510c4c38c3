/** A folder that cannot be applied: a file is missing or wrong. */
export class ApplyError extends Error {
  readonly code = 'apply_refused';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ApplyError';
  }
}
