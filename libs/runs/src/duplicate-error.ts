/** Something of this name exists already; `field` says which field must differ. */
export class DuplicateError extends Error {
  readonly code = 'duplicate';
  readonly field: string;

  constructor(field: string, cause?: unknown) {
    super(`another one has this ${field}`, { cause });
    this.name = 'DuplicateError';
    this.field = field;
  }
}
