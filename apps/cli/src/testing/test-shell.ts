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
}

/** Runs a command line as the program does, with its own environment and streams. */
export async function cli(words: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const [stdout, stderr] = [new Collected(), new Collected()];
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

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
