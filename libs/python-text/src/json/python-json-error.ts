import { codePointCount } from '../text/code-points';

/** The class of Python's error. Code that catches only JSONDecodeError does not catch the others. */
export type PythonJsonErrorKind = 'JSONDecodeError' | 'ValueError' | 'RecursionError';

/**
 * The error for a text that Python's `json.loads` rejects. `message` is Python's text, with line, column and position
 * if present; `reason` is only its first part, such as "Expecting value".
 */
export class PythonJsonError extends Error {
  override readonly name = 'PythonJsonError';
  readonly kind: PythonJsonErrorKind;
  readonly reason: string;
  /** Index of the character, in code points as in Python. */
  readonly position: number;

  constructor(kind: PythonJsonErrorKind, reason: string, text: string, offset: number) {
    const before = text.slice(0, offset);
    const position = codePointCount(before);
    super(kind === 'JSONDecodeError' ? `${reason}: ${place(before, position)}` : reason);
    this.kind = kind;
    this.reason = reason;
    this.position = position;
  }
}

function place(before: string, position: number): string {
  const lines = before.split('\n');
  const column = codePointCount(lines.at(-1) ?? '') + 1;
  return `line ${lines.length} column ${column} (char ${position})`;
}
