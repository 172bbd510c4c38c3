import type { Readable, Writable } from 'node:stream';
import type { Environment } from '@millrace/service';

/** A stream of the process; `isTTY` is true for a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean | undefined };

/** What a command knows of the process that runs it. */
export interface Shell {
  readonly environment: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Aborts when the process is interrupted. */
  readonly signal: AbortSignal;
}
