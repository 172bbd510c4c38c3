import { MillraceError } from '../errors';

export type PythonFormatErrorKind =
  'AttributeError' | 'IndexError' | 'KeyError' | 'MemoryError' | 'OverflowError' | 'TypeError' | 'ValueError';

/** A pattern or a template that cannot be filled in; `message` is what Python's exception of this kind says. */
export class PythonFormatError extends MillraceError {
  readonly kind: PythonFormatErrorKind;

  constructor(kind: PythonFormatErrorKind, message: string) {
    super('format_failed', message);
    this.kind = kind;
  }
}
