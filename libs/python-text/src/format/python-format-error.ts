export type PythonFormatErrorKind =
  'AttributeError' | 'IndexError' | 'KeyError' | 'MemoryError' | 'OverflowError' | 'TypeError' | 'ValueError';

/** An invalid pattern or template; `message` is the text of Python's exception of this kind. */
export class PythonFormatError extends Error {
  override readonly name = 'PythonFormatError';
  readonly kind: PythonFormatErrorKind;

  constructor(kind: PythonFormatErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
