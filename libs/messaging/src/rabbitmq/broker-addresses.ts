/** The nodes of one broker, in the order in which they are tried. */
export class BrokerAddresses {
  readonly #order: string[];

  /** `text` is one URL or several, comma-separated; the order is random, so that processes spread over the nodes. */
  constructor(text: string, random: () => number = Math.random) {
    this.#order = text
      .split(',')
      .map((url) => ({ url: url.trim(), place: random() }))
      .filter(({ url }) => url !== '')
      .sort((left, right) => left.place - right.place)
      .map(({ url }) => url);
  }

  get count(): number {
    return this.#order.length;
  }

  /** The address to try next. */
  get next(): string {
    return this.#order[0] ?? '';
  }

  /** Moves an address that failed or lost its connection to the end. */
  failed(url: string): void {
    const place = this.#order.indexOf(url);
    if (place >= 0) this.#order.push(...this.#order.splice(place, 1));
  }
}

/** Returns host and port for logs, without credentials. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address';
}
