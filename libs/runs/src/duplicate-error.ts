/** A record with the same value exists already; `field` names the field that must differ. */
export class DuplicateError extends Error {
  readonly code = 'duplicate';
  readonly field: string;

  constructor(field: string, cause?: unknown) {
    super(`another record has this ${field}`, { cause });
    this.name = 'DuplicateError';
    this.field = field;
  }
}
