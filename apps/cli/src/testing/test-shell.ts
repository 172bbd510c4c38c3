import { Readable, Writable } from 'node:stream';
import type { Environment } from '@millrace/service';
import { runCli } from '../run-cli';

export interface CliResult {
  readonly code: number;
  readonly output: string;
  readonly faults: string;
  /** The output as JSON. */
  json<T>(): T;
}

export interface CliOptions {
  readonly environment?: Environment;
  readonly input?: string;
  readonly signal?: AbortSignal;
  /** Gets what is written to standard error. */
  readonly onFaults?: (text: string) => void;
}

/** Runs a command line as the program does, with its own environment and streams. */
export async function cli(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const [stdout, stderr] = [new Collected(), new Collected(options.onFaults)];
  const code = await runCli(words, {
    environment: options.environment ?? {},
    stdin: Readable.from([options.input ?? '']),
    stdout,
    stderr,
    signal: options.signal ?? new AbortController().signal,
  });
  return {
    code,
    output: stdout.text,
    faults: stderr.text,
    json: <T>() => JSON.parse(stdout.text) as T,
  };
}

class Collected extends Writable {
  text = '';
  readonly #onText: ((text: string) => void) | undefined;

  constructor(onText?: (text: string) => void) {
    super();
    this.#onText = onText;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    this.#onText?.(chunk.toString());
    done();
  }
}
