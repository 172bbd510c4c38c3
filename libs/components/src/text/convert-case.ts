const conversions: Readonly<Record<string, (text: string) => string>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  title: (text) => text.replace(/\p{Cased}+/gu, capitalized),
  capitalize: capitalized,
  swapcase: (text) => text.replace(/\p{Cased}/gu, swapped),
};

export const textCases: readonly string[] = Object.keys(conversions);

/** A text in another case, as Python's methods of these names; unchanged when there is no such case. */
export function convertCase(text: string, name: string): string {
  const convert = Object.hasOwn(conversions, name) ? conversions[name] : undefined;
  return convert === undefined ? text : convert(text);
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
