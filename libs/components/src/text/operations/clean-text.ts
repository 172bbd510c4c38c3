import { strip } from '@millrace/python-text';
import type { InterruptibleWork } from '../../parsing/run-in-slices';
import { mapPieces } from './map-pieces';

/** Number of lines that are processed before the work can be interrupted. */
const linesPerStep = 1024;

/** What to remove from a text. */
export interface CleanTextOptions {
  /** Collapses consecutive blanks to one space: within a line, or newlines as well. */
  readonly extraSpaces: 'kept' | 'removed in lines' | 'removed';
  readonly specialCharacters: 'kept' | 'removed';
  readonly emptyLines: 'kept' | 'removed';
}

const blanks = { 'removed in lines': /[ \t]+/g, removed: /\s+/g };

/** Returns a text without the consecutive blanks, special characters or empty lines that are to be removed. */
export function* cleanText(
  text: string,
  { extraSpaces, specialCharacters, emptyLines }: CleanTextOptions,
): InterruptibleWork<string> {
  const cleaned = yield* mapPieces(text, (piece) => {
    const spaced = extraSpaces === 'kept' ? piece : piece.replace(blanks[extraSpaces], ' ');
    return specialCharacters === 'kept' ? spaced : spaced.replace(/[^\p{L}\p{N}_\s]/gu, '');
  });
  return emptyLines === 'kept' ? cleaned : yield* withoutEmptyLines(cleaned);
}

function* withoutEmptyLines(text: string): InterruptibleWork<string> {
  const kept: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (strip(line) !== '') kept.push(line);
    if (index % linesPerStep === 0) yield;
  }
  return kept.join('\n');
}
