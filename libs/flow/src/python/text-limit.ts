import { PythonFormatError } from './python-format-error';

/** The longest text that a template or a table may become, in UTF-16 code units. */
export const maximumTextLength = 16 * 1024 * 1024;

/**
 * Throws a PythonFormatError (MemoryError) for a text longer than any flow needs: a short template can ask for a text
 * that fills the memory. To be called before such a text is built.
 */
export function refuseTooLong(length: number): void {
  if (length <= maximumTextLength) return;
  throw new PythonFormatError('MemoryError', `the text would be longer than ${maximumTextLength} characters`);
}
