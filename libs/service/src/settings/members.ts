const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The members of an object in the JSON of a setting. Each fault ends a sentence that begins with the name of the setting. */
export class Members {
  readonly #members: Readonly<Record<string, unknown>>;
  readonly #where: string;
  readonly #read = new Set<string>();

  constructor(value: unknown, where: string) {
    this.#where = where;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.fault('must be an object');
    this.#members = value as Readonly<Record<string, unknown>>;
  }

  fault(reason: string): Error {
    return new Error(`is invalid: ${this.#where}: ${reason}`);
  }

  text(name: string): string {
    const value = this.optional(name);
    if (value === undefined) throw this.fault(`"${name}" is missing`);
    return value;
  }

  optional(name: string): string | undefined {
    const value = this.take(name);
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw this.fault(`"${name}" must be a text`);
    return value as string | undefined;
  }

  /** A text, or a list of texts. */
  texts(name: string): readonly string[] {
    const value = this.take(name) ?? [];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!list.every((one) => typeof one === 'string' && one !== ''))
      throw this.fault(`"${name}" must be a text or a list of texts`);
    return list as readonly string[];
  }

  map(name: string): ReadonlyMap<string, string> {
    const value = this.take(name) ?? {};
    if (typeof value !== 'object' || Array.isArray(value))
      throw this.fault(`"${name}" must be an object of texts`);
    const entries: readonly (readonly [string, unknown])[] = Object.entries(value as object);
    if (!entries.every(([, one]) => typeof one === 'string'))
      throw this.fault(`"${name}" must be an object of texts`);
    return new Map(entries as readonly (readonly [string, string])[]);
  }

  /** Any value; undefined for null. */
  take(name: string): unknown {
    this.#read.add(name);
    return this.#members[name] ?? undefined;
  }

  /** Throws when a member has not been read. */
  refuseOthers(): void {
    const other = Object.keys(this.#members).find((name) => !this.#read.has(name));
    if (other !== undefined) throw this.fault(`"${other}" is unknown`);
  }
}

/** Whether an address is for secrets: they cross no network unencrypted. */
export function isSafeUrl(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}
