import { codePointCount } from './code-points';
import { MillraceError } from '../errors';

/** Python's class of the error: anything but a JSONDecodeError passes by code that catches only that. */
export type PythonJsonErrorKind = 'JSONDecodeError' | 'ValueError' | 'RecursionError';

/**
 * Text that Python's `json.loads` refuses. `message` is what Python prints, with line, column and position where it
 * has them; `reason` is its first part alone, such as "Expecting value".
 */
export class PythonJsonError extends MillraceError {
  readonly kind: PythonJsonErrorKind;
  readonly reason: string;
  /** Index of the character, counted in code points as Python does. */
  readonly position: number;

  constructor(kind: PythonJsonErrorKind, reason: string, text: string, offset: number) {
    const before = text.slice(0, offset);
    const position = codePointCount(before);
    super('invalid_json', kind === 'JSONDecodeError' ? `${reason}: ${place(before, position)}` : reason);
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
