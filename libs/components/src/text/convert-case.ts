import type { Sliceable } from './in-slices';
import { mapPieces } from './map-pieces';

type Conversion = (text: string) => string;

/** Done by the engine, and quick. */
const wholes: Readonly<Record<string, Conversion>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: capitalized,
};
/** Done word by word. */
const wordwise: Readonly<Record<string, Conversion>> = {
  title: (text) => text.replace(/\p{Cased}+/gu, capitalized),
  swapcase: (text) => text.replace(/\p{Cased}/gu, swapped),
};

export const textCases: readonly string[] = ['uppercase', 'lowercase', 'title', 'capitalize', 'swapcase'];

/** A text in another case, as Python's methods of these names; unchanged when there is no such case. */
export function* convertCase(text: string, name: string): Sliceable<string> {
  const convert = Object.hasOwn(wholes, name) ? wholes[name] : undefined;
  if (convert !== undefined) return convert(text);
  const convertPiece = Object.hasOwn(wordwise, name) ? wordwise[name] : undefined;
  return convertPiece === undefined ? text : yield* mapPieces(text, convertPiece);
}

function capitalized(text: string): string {
  if (text === '') return text;
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const upper = first.toUpperCase();
  // A letter that becomes several, such as ß, has only the first of them in upper case.
  const [start = ''] = upper;
  // The whole text is made lower case: how a sigma looks depends on its neighbours.
  return (
    start + upper.slice(start.length).toLowerCase() + text.toLowerCase().slice(first.toLowerCase().length)
  );
}

function swapped(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
}
