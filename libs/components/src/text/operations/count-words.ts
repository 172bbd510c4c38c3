import { codePointCount } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import type { InterruptibleWork } from '../../parsing/run-in-slices';
import { textPieces } from './text-pieces';

/** Number of lines that are processed before the work can be interrupted. */
const linesPerStep = 1024;

/** Which counts to compute. */
export interface WordCountOptions {
  readonly words: boolean;
  readonly characters: boolean;
  readonly lines: boolean;
}

/** Counts a text's words, characters (code points) and lines; all are 0 for a blank text. */
export function* countWords(
  given: string,
  { words, characters, lines }: WordCountOptions,
): InterruptibleWork<PythonObject> {
  const text = given.trim() === '' ? '' : given;
  return {
    ...(words ? yield* wordCounts(text) : {}),
    ...(characters ? yield* characterCounts(text) : {}),
    ...(lines ? yield* lineCounts(text) : {}),
  };
}

function* wordCounts(text: string): InterruptibleWork<PythonObject> {
  const unique = new Set<string>();
  let count = 0;
  for (const piece of textPieces(text)) {
    for (const word of piece.split(/\s+/)) {
      if (word === '') continue;
      unique.add(word);
      count += 1;
    }
    yield;
  }
  return { word_count: count, unique_words: unique.size };
}

function* characterCounts(text: string): InterruptibleWork<PythonObject> {
  let all = 0;
  let withoutSpaces = 0;
  for (const piece of textPieces(text)) {
    all += codePointCount(piece);
    withoutSpaces += codePointCount(piece.replaceAll(' ', ''));
    yield;
  }
  return { character_count: all, character_count_no_spaces: withoutSpaces };
}

function* lineCounts(text: string): InterruptibleWork<PythonObject> {
  if (text === '') return { line_count: 0, non_empty_lines: 0 };
  let count = 0;
  let filled = 0;
  for (const line of text.split('\n')) {
    count += 1;
    if (line.trim() !== '') filled += 1;
    if (count % linesPerStep === 0) yield;
  }
  return { line_count: count, non_empty_lines: filled };
}
