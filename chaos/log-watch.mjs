import { createWriteStream } from 'node:fs';

const UNHANDLED = /unhandled error|unhandledRejection|uncaughtException|Unhandled/;
const KEPT_LINES = 50;

/** Reads every log line of the services: counts messages, and keeps the lines that must not occur. */
export class LogWatch {
  /** @type {Map<string, string>} */
  #canaries = new Map();
  /** @type {Map<string, number>} */
  #counts = new Map();
  /** @type {import('node:fs').WriteStream | undefined} */
  #file;
  /** @type {string[]} */
  unhandled = [];
  /**
   * Lines that contained a secret: { canary, line }, without the secret itself.
   * @type {{ readonly canary: string, readonly line: string }[]}
   */
  leaks = [];
  lines = 0;

  /**
   * Writes every line to `file`, if given.
   * @param {{ readonly file?: string }} [options]
   */
  constructor({ file } = {}) {
    if (file !== undefined) this.#file = createWriteStream(file);
  }

  /**
   * Adds a secret that no line must contain.
   * @param {string} name
   * @param {string} value
   */
  plant(name, value) {
    this.#canaries.set(name, value);
  }

  /** @param {string} line */
  read(line) {
    this.lines += 1;
    this.#file?.write(`${new Date().toISOString()} ${line}\n`);
    for (const [canary, value] of this.#canaries)
      if (line.includes(value) && this.leaks.length < KEPT_LINES)
        this.leaks.push({ canary, line: line.replaceAll(value, '…').slice(0, 500) });
    if (UNHANDLED.test(line) && this.unhandled.length < KEPT_LINES) this.unhandled.push(line.slice(0, 2_000));
    const message = messageOf(line);
    if (message !== undefined) this.#counts.set(message, (this.#counts.get(message) ?? 0) + 1);
  }

  /**
   * Returns how often this message was logged.
   * @param {string} message
   */
  count(message) {
    return this.#counts.get(message) ?? 0;
  }

  /** Returns all messages, most frequent first: [message, count]. */
  messageCounts() {
    return [...this.#counts].sort(([, left], [, right]) => right - left);
  }

  close() {
    this.#file?.end();
  }
}

/**
 * @param {string} line
 * @returns {string | undefined}
 */
function messageOf(line) {
  const start = line.indexOf('{');
  if (start < 0) return undefined;
  try {
    const { msg, message = msg } = JSON.parse(line.slice(start));
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
