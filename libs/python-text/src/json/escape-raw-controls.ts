/** Matches the characters below the space, which JSON strings cannot contain unescaped. */
const anyControl = /[^ -\uffff]/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** The default limit of a body. */
const defaultMaximumBytes = 10 * 1_048_576;

/**
 * Returns JSON in whose strings the raw line breaks, tabs and other control characters are escaped, as many form tools
 * write them and Python's `json.loads(text, strict=False)` reads them. A text that is still no JSON, or has more than
 * `maximumBytes` with the escapes, is returned unchanged. Takes one pass over any text.
 */
export function escapeRawControls(text: string, maximumBytes = defaultMaximumBytes): string {
  if (!anyControl.test(text)) return text;
  const escaped = withEscapes(text, maximumBytes - Buffer.byteLength(text));
  if (escaped === null) return text;
  try {
    JSON.parse(escaped);
    return escaped;
  } catch {
    return text;
  }
}

/** Null when there is nothing to escape, or the escapes take more than `room` further characters. */
function withEscapes(text: string, room: number): string | null {
  const parts: string[] = [];
  let added = 0;
  let copied = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString && code === BACKSLASH) index += 1;
    else if (isInString && code < SPACE) {
      const escape = JSON.stringify(text.charAt(index)).slice(1, -1);
      added += escape.length - 1;
      if (added > room) return null;
      parts.push(text.slice(copied, index), escape);
      copied = index + 1;
    }
  }
  if (parts.length === 0 || isInString) return null;
  parts.push(text.slice(copied));
  return parts.join('');
}
