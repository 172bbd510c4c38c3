const HIDDEN = '[hidden]';
/** A shorter secret is hidden where it is the whole text; as a part it would hide words. */
const MINIMUM_PART_LENGTH = 3;

/** Hides secret texts in other texts. */
export class SecretMask {
  readonly #whole: ReadonlySet<string>;
  /** The longest first, so that no part of a secret is left when another one begins with it. */
  readonly #parts: readonly string[];
  readonly #longest: number;

  constructor(secrets: ReadonlySet<string>) {
    this.#whole = secrets;
    const parts = new Set<string>();
    for (const secret of secrets) if (secret.length >= MINIMUM_PART_LENGTH) addSpellings(parts, secret);
    this.#parts = [...parts].sort((left, right) => right.length - left.length);
    this.#longest = this.#parts[0]?.length ?? 0;
  }

  /** Returns the start of a text, of this length at most, with all secrets hidden, also those that the end would cut. */
  start(text: string, length: number): string {
    if (this.#whole.has(text)) return HIDDEN;
    const isLong = text.length > length;
    const masked = this.#mask(isLong ? text.slice(0, length + this.#longest) : text);
    if (!isLong) return masked.length > length ? masked.slice(0, length) : masked;
    // The last characters can be the beginning of a secret.
    return masked.slice(0, Math.max(0, Math.min(length, masked.length - this.#longest)));
  }

  #mask(text: string): string {
    let masked = text;
    for (const part of this.#parts) if (masked.includes(part)) masked = masked.replaceAll(part, HIDDEN);
    return masked;
  }
}

/** Adds a secret as it is, and as it stands in JSON texts, in addresses and in Base64. */
function addSpellings(parts: Set<string>, secret: string): void {
  parts.add(secret);
  parts.add(JSON.stringify(secret).slice(1, -1));
  const bytes = Buffer.from(secret);
  const text = bytes.toString('utf8');
  parts.add(encodeURIComponent(text));
  if (bytes.length >= 6) parts.add(bytes.toString('base64').replace(/=+$/, ''));
}
