const defaultLength = 32_768;

/**
 * Splits a text into pieces whose concatenation is the text, each short enough that simple work on it does not block
 * the event loop. Words and consecutive blanks are not split: a text without blanks is one piece.
 */
export function* textPieces(text: string): Generator<string> {
  const wordEnd = /\S(?=\s)/g;
  let from = 0;
  while (text.length - from > defaultLength) {
    wordEnd.lastIndex = from + defaultLength;
    const found = wordEnd.exec(text);
    if (found === null) break;
    yield text.slice(from, found.index + 1);
    from = found.index + 1;
  }
  yield text.slice(from);
}
