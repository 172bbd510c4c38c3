import { MillraceError } from '../errors';

export type PythonFormatErrorKind =
  'AttributeError' | 'IndexError' | 'KeyError' | 'MemoryError' | 'OverflowError' | 'TypeError' | 'ValueError';

/** An invalid pattern or template; `message` is the text of Python's exception of this kind. */
export class PythonFormatError extends MillraceError {
  readonly kind: PythonFormatErrorKind;

  constructor(kind: PythonFormatErrorKind, message: string) {
    super('format_failed', message);
    this.kind = kind;
  }
}
