import { pino } from 'pino';
import type { DestinationStream } from 'pino';

/** Longest time that a line waits, in milliseconds: what a killed process can lose of its log. */
const MAXIMUM_WAIT_MILLISECONDS = 20;
const MAXIMUM_WAITING_CHARACTERS = 16_384;
/** Of a line that is not made yet. */
const ESTIMATED_CHARACTERS = 400;

/**
 * Writes lines to standard output in groups, since a system call for each line costs more than the line. Urgent lines are
 * written at once, with the lines before them; the others after 20 ms, after 16,384 characters or at the exit of the
 * process, whichever comes first. A process that SIGKILL ends loses the lines of its last 20 ms. Lines that are made together
 * cost a third of those that are made one by one between requests, when none of their code is in the processor's caches.
 */
export class GroupedLines {
  #file: DestinationStream | undefined;
  #waiting: (string | (() => string))[] = [];
  #characters = 0;
  #timer: NodeJS.Timeout | undefined;

  write(line: string, isUrgent: boolean): void {
    // A logger that is silent opens no file and adds no listener.
    this.#file ??= this.#open();
    this.#add(line, line.length);
    if (isUrgent) this.#flush();
  }

  /** Writes the line that `make` returns, which is called when lines are written. */
  writeLater(make: () => string): void {
    this.#file ??= this.#open();
    this.#add(make, ESTIMATED_CHARACTERS);
  }

  #add(line: string | (() => string), characters: number): void {
    this.#waiting.push(line);
    this.#characters += characters;
    if (this.#characters >= MAXIMUM_WAITING_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), MAXIMUM_WAIT_MILLISECONDS).unref();
  }

  #open(): DestinationStream {
    process.once('exit', () => this.#flush());
    return pino.destination({ dest: 1, sync: true });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#characters = 0;
    let lines = '';
    for (const line of waiting) lines += typeof line === 'string' ? line : line();
    if (lines !== '') this.#file?.write(lines);
  }
}
