import { strip } from '@millrace/flow';

/** What to take out of a text. */
export interface CleanTextOptions {
  /** Blanks in a row become one space: those of a line, or newlines as well. */
  readonly extraSpaces: 'kept' | 'removed in lines' | 'removed';
  readonly specialCharacters: 'kept' | 'removed';
  readonly emptyLines: 'kept' | 'removed';
}

const blanks = { 'removed in lines': /[ \t]+/g, removed: /\s+/g };

/** A text without the blanks in a row, the punctuation and signs, or the empty lines that are not wanted. */
export function cleanText(
  text: string,
  { extraSpaces, specialCharacters, emptyLines }: CleanTextOptions,
): string {
  let cleaned = extraSpaces === 'kept' ? text : text.replace(blanks[extraSpaces], ' ');
  if (specialCharacters === 'removed') cleaned = cleaned.replace(/[^\p{L}\p{N}_\s]/gu, '');
  if (emptyLines === 'kept') return cleaned;
  return cleaned
    .split('\n')
    .filter((line) => strip(line) !== '')
    .join('\n');
}
