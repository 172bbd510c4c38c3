/**
 * A program cannot start for a reason that its operator can fix. The message is one sentence for standard error; there
 * is no log line and no stack.
 */
export class StartError extends Error {
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, cause }: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'StartError';
    this.exitCode = exitCode;
  }
}
