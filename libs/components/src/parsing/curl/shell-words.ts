import { ComponentError } from '@millrace/flow';

const ansiEscapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', e: '\x1b' };
const escapedInDoubleQuotes = '"\\$`';

/**
 * Splits a command line as a POSIX shell does: quotes of all three kinds, backslashes and continued lines. Expands
 * nothing. Throws a ComponentError for an unclosed quote.
 */
export function shellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let index = 0;
  const take = (text: string): void => void (word = (word ?? '') + text);
  while (index < line.length) {
    const character = line[index] ?? '';
    if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
      index += 1;
    } else if (character === '\\') {
      const next = line.slice(index + 1).match(/^\r?\n/)?.[0];
      if (next === undefined) take(line[index + 1] ?? '');
      index += 1 + (next?.length ?? 1);
    } else {
      const piece = quoted(line, index);
      take(piece?.text ?? character);
      index = piece?.end ?? index + 1;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

interface Piece {
  readonly text: string;
  /** The offset after the piece. */
  readonly end: number;
}

/** Returns the quoted text that starts here; null without a quote. */
function quoted(line: string, start: number): Piece | null {
  if (line.startsWith("$'", start)) return until(line, start + 2, "'", ansi);
  if (line[start] === "'") return until(line, start + 1, "'", null);
  return line[start] === '"' ? until(line, start + 1, '"', inDoubleQuotes) : null;
}

type Escape = (character: string) => string;

function until(line: string, start: number, quote: string, escape: Escape | null): Piece {
  let text = '';
  for (let index = start; index < line.length; index += 1) {
    const character = line[index] ?? '';
    if (character === quote) return { text, end: index + 1 };
    if (character === '\\' && escape !== null) {
      index += 1;
      text += escape(line[index] ?? '');
    } else text += character;
  }
  throw new ComponentError('Error parsing curl: No closing quotation');
}

function inDoubleQuotes(character: string): string {
  if (character === '\n') return '';
  return escapedInDoubleQuotes.includes(character) ? character : `\\${character}`;
}

function ansi(character: string): string {
  return ansiEscapes[character] ?? character;
}
