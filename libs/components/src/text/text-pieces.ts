const usualLength = 32_768;

/**
 * Cuts a text into pieces that give the text again one after the other, each so short that little work on it holds
 * nobody up. Neither words nor blanks in a row are cut: a text without blanks is one piece.
 */
export function* textPieces(text: string): Generator<string> {
  const wordEnd = /\S(?=\s)/g;
  let from = 0;
  while (text.length - from > usualLength) {
    wordEnd.lastIndex = from + usualLength;
    const found = wordEnd.exec(text);
    if (found === null) break;
    yield text.slice(from, found.index + 1);
    from = found.index + 1;
  }
  yield text.slice(from);
}
