/**
 * A program cannot start for a reason that its operator can remove. The message is one sentence for standard error; no
 * line of the log and no stack goes with it.
 */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'StartError';
    this.exitCode = exitCode;
  }
}
