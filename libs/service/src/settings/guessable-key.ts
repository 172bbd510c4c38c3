const PLACEHOLDER =
  /change.?me|replace.?(me|this|with)|your.?(own.?)?(api|key|secret)|insert|place.?holder|example|dummy|x{6}|<.*>/i;
const MINIMUM_CHARACTERS = 6;
const MINIMUM_BYTES = 16;

/** Returns whether an API key is a text of an example, or one short text repeated. */
export function isPlaceholderKey(key: string): boolean {
  const secret = [...key.replace(/^sk-/, '')];
  return PLACEHOLDER.test(key) || new Set(secret).size < MINIMUM_CHARACTERS || isRepetition(secret);
}

/** Returns whether bytes repeat, count up or down, or are few: random ones never do. */
export function isGuessableKey(bytes: Uint8Array): boolean {
  const list = [...bytes];
  const steps = list.slice(1).map((byte, index) => (byte - (list[index] ?? 0) + 256) % 256);
  return new Set(list).size < MINIMUM_BYTES || new Set(steps).size < MINIMUM_BYTES / 2 || isRepetition(list);
}

/** Whether a beginning of at most half the length repeats to the end. */
function isRepetition(symbols: readonly unknown[]): boolean {
  for (let length = 1; length <= symbols.length / 2; length += 1)
    if (symbols.every((symbol, index) => index < length || symbol === symbols[index - length])) return true;
  return false;
}
