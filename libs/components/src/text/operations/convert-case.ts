import type { InterruptibleWork } from '../../parsing/run-in-slices';
import { mapPieces } from './map-pieces';

type Conversion = (text: string) => string;

/** Conversions by a built-in function, which are fast. */
const wholeTextCases: Readonly<Record<string, Conversion>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: capitalized,
};
/** Conversions word by word. */
const wordCases: Readonly<Record<string, Conversion>> = {
  title: (text) => text.replace(/\p{Cased}+/gu, capitalized),
  swapcase: (text) => text.replace(/\p{Cased}/gu, swapped),
};

export const textCases: readonly string[] = ['uppercase', 'lowercase', 'title', 'capitalize', 'swapcase'];

/** Converts a text's case as Python's methods of these names do; unchanged for an unknown name. */
export function* convertCase(text: string, name: string): InterruptibleWork<string> {
  const convert = Object.hasOwn(wholeTextCases, name) ? wholeTextCases[name] : undefined;
  if (convert !== undefined) return convert(text);
  const convertPiece = Object.hasOwn(wordCases, name) ? wordCases[name] : undefined;
  return convertPiece === undefined ? text : yield* mapPieces(text, convertPiece);
}

function capitalized(text: string): string {
  if (text === '') return text;
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const upper = first.toUpperCase();
  // Of a letter that becomes several, such as ß, only the first is in upper case.
  const [start = ''] = upper;
  // Convert the whole text to lower case: the form of a sigma depends on its neighbors.
  return (
    start + upper.slice(start.length).toLowerCase() + text.toLowerCase().slice(first.toLowerCase().length)
  );
}

function swapped(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
}
