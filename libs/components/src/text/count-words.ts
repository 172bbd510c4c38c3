import { codePointCount } from '@millrace/flow';
import type { PythonObject } from '@millrace/flow';

/** Which counts to take. */
export interface WordCountOptions {
  readonly words: boolean;
  readonly characters: boolean;
  readonly lines: boolean;
}

/** Counts a text's words, characters (code points) and lines. */
export function countWords(text: string, { words, characters, lines }: WordCountOptions): PythonObject {
  return {
    ...(words ? wordCounts(text) : {}),
    ...(characters
      ? {
          character_count: codePointCount(text),
          character_count_no_spaces: codePointCount(text.replaceAll(' ', '')),
        }
      : {}),
    ...(lines ? lineCounts(text) : {}),
  };
}

function wordCounts(text: string): PythonObject {
  const words = text.split(/\s+/).filter((word) => word !== '');
  return { word_count: words.length, unique_words: new Set(words).size };
}

function lineCounts(text: string): PythonObject {
  const lines = text.split('\n');
  return {
    line_count: lines.length,
    non_empty_lines: lines.filter((line) => line.trim() !== '').length,
  };
}
