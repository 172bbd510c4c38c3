/** The parts of a text between its commas, without white space around them and without empty ones. */
export function splitCommas(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
