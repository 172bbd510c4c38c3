import { exitCodes } from './exit-codes';
import type { ExitReason } from './exit-codes';

/** Ends a command with one sentence on standard error. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(reason: ExitReason, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.name = 'CliError';
    this.exitCode = exitCodes[reason];
  }
}
