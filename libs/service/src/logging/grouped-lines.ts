import { pino } from 'pino';
import type { DestinationStream } from 'pino';

/** Longest time that a line waits, in milliseconds: what a killed process can lose of its log. */
const MAXIMUM_WAIT_MILLISECONDS = 20;
const MAXIMUM_WAITING_CHARACTERS = 16_384;

/**
 * Writes lines to standard output in groups, since a system call for each line costs more than the line. Urgent lines are
 * written at once, with the lines before them; the others after 20 ms, after 16,384 characters or at the exit of the
 * process, whichever comes first. A process that SIGKILL ends loses the lines of its last 20 ms.
 */
export class GroupedLines {
  #file: DestinationStream | undefined;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  write(line: string, isUrgent: boolean): void {
    // A logger that is silent opens no file and adds no listener.
    this.#file ??= this.#open();
    this.#waiting += line;
    if (isUrgent || this.#waiting.length >= MAXIMUM_WAITING_CHARACTERS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), MAXIMUM_WAIT_MILLISECONDS).unref();
  }

  #open(): DestinationStream {
    process.once('exit', () => this.#flush());
    return pino.destination({ dest: 1, sync: true });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const lines = this.#waiting;
    this.#waiting = '';
    if (lines !== '') this.#file?.write(lines);
  }
}
