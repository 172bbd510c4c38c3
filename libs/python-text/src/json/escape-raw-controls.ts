/** Matches the characters below the space, which JSON strings cannot contain unescaped. */
const anyControl = /[^ -\uffff]/;
const string = /"(?:[^"\\]|\\[\s\S])*"/g;
const control = /[^ -\uffff]/g;

/**
 * Returns JSON in whose strings the raw line breaks, tabs and other control characters are escaped, as many form tools
 * write them and Python's `json.loads(text, strict=False)` reads them. A text that is still no JSON is returned unchanged.
 */
export function escapeRawControls(text: string): string {
  if (!anyControl.test(text)) return text;
  const escaped = text.replace(string, (token) =>
    token.replace(control, (character) => JSON.stringify(character).slice(1, -1)),
  );
  if (escaped === text) return text;
  try {
    JSON.parse(escaped);
    return escaped;
  } catch {
    return text;
  }
}
