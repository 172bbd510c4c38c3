import { strip } from '@millrace/flow';
import type { Sliceable } from './in-slices';
import { mapPieces } from './map-pieces';

/** How many lines are looked at before the work may be left off. */
const linesPerStep = 1024;

/** What to take out of a text. */
export interface CleanTextOptions {
  /** Blanks in a row become one space: those of a line, or newlines as well. */
  readonly extraSpaces: 'kept' | 'removed in lines' | 'removed';
  readonly specialCharacters: 'kept' | 'removed';
  readonly emptyLines: 'kept' | 'removed';
}

const blanks = { 'removed in lines': /[ \t]+/g, removed: /\s+/g };

/** A text without the blanks in a row, the punctuation and signs, or the empty lines that are not wanted. */
export function* cleanText(
  text: string,
  { extraSpaces, specialCharacters, emptyLines }: CleanTextOptions,
): Sliceable<string> {
  const cleaned = yield* mapPieces(text, (piece) => {
    const spaced = extraSpaces === 'kept' ? piece : piece.replace(blanks[extraSpaces], ' ');
    return specialCharacters === 'kept' ? spaced : spaced.replace(/[^\p{L}\p{N}_\s]/gu, '');
  });
  return emptyLines === 'kept' ? cleaned : yield* withoutEmptyLines(cleaned);
}

function* withoutEmptyLines(text: string): Sliceable<string> {
  const kept: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (strip(line) !== '') kept.push(line);
    if (index % linesPerStep === 0) yield;
  }
  return kept.join('\n');
}
