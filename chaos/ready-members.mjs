const PERIOD_MILLISECONDS = 500;
const ANSWER_WITHIN_MILLISECONDS = 1_000;

/**
 * Tracks which instances of a service are ready by polling /readyz twice a second. An instance that is not ready, does not
 * answer or refuses a connection is excluded until it is ready. When all are excluded, all are used.
 */
export class ReadyMembers {
  /** @type {readonly string[]} */
  #urls;
  /** @type {Set<string>} */
  #out = new Set();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {readonly string[]} urls */
  constructor(urls) {
    this.#urls = urls;
  }

  start() {
    this.#timer = setInterval(() => {
      for (const url of this.#urls) void this.#ask(url);
    }, PERIOD_MILLISECONDS);
  }

  /**
   * The URLs of the instances to use; never empty.
   * @returns {readonly string[]}
   */
  get urls() {
    const ready = this.#urls.filter((url) => !this.#out.has(url));
    return ready.length > 0 ? ready : this.#urls;
  }

  /** @param {string} url */
  refused(url) {
    this.#out.add(url);
  }

  close() {
    clearInterval(this.#timer);
  }

  /** @param {string} url */
  async #ask(url) {
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MILLISECONDS);
      const response = await fetch(`${url}/readyz`, { signal, headers: { connection: 'close' } });
      await response.arrayBuffer();
      if (response.ok) this.#out.delete(url);
      else this.#out.add(url);
    } catch {
      this.#out.add(url);
    }
  }
}
