import { printTable } from './print-table';
import type { OutputStream } from './shell';

const REDRAW_MILLISECONDS = 100;

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Print one JSON value to standard output, and nothing else. */
  readonly json: boolean;
}

/** Prints the results of a command: texts for people, or with `--json` one JSON value for programs. */
export class Output {
  readonly json: boolean;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;

  constructor({ stdout, stderr, json }: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.json = json;
  }

  /** Prints `value` with `--json`; otherwise calls `print`. */
  result(value: unknown, print: () => void): void {
    if (this.json) this.#stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    else print();
  }

  line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  /** Writes without a newline, for text that arrives in parts. */
  part(text: string): void {
    this.#stdout.write(text);
  }

  table(rows: readonly (readonly string[])[], headings: readonly string[]): void {
    for (const line of printTable(rows, headings)) this.line(line);
  }

  /** Writes a sentence to standard error, where it does not disturb a program that reads the result. */
  note(sentence: string): void {
    this.#stderr.write(`${sentence}\n`);
  }

  /** Returns a line on the terminal that is overwritten; it prints nothing when standard error is no terminal. */
  progress(now: () => number): Progress {
    if (this.#stderr.isTTY !== true) return { show: () => undefined, end: () => undefined };
    let shownAt = -Infinity;
    const clear = () => void this.#stderr.write('\r\u001b[K');
    return {
      show: (text) => {
        if (now() - shownAt < REDRAW_MILLISECONDS) return;
        shownAt = now();
        clear();
        this.#stderr.write(text);
      },
      end: clear,
    };
  }
}

export interface Progress {
  show(text: string): void;
  end(): void;
}
