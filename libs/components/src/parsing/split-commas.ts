/** Splits a text at its commas; trims the parts and drops empty ones. */
export function splitCommas(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
