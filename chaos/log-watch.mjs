import { createWriteStream } from 'node:fs';

const UNHANDLED = /an error reached nobody|unhandledRejection|uncaughtException|Unhandled/;
const KEPT_LINES = 50;

/** Reads every line the services write: counts what they say, and keeps those that must not be there. */
export class LogWatch {
  #canaries = new Map();
  #counts = new Map();
  #file;
  unhandled = [];
  /** Lines that held a secret: { canary, line }, the secret itself cut out. */
  leaks = [];
  lines = 0;

  /** `file`, when given, gets every line. */
  constructor({ file } = {}) {
    if (file !== undefined) this.#file = createWriteStream(file);
  }

  /** From now on no line may hold this value. */
  plant(name, value) {
    this.#canaries.set(name, value);
  }

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

  /** How often this was said. */
  count(message) {
    return this.#counts.get(message) ?? 0;
  }

  /** What was said, most often first: [message, count]. */
  said() {
    return [...this.#counts].sort(([, left], [, right]) => right - left);
  }

  close() {
    this.#file?.end();
  }
}

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
