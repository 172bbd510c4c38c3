import type { PythonValue } from '@millrace/python-text';

export interface ScriptCall {
  /** JavaScript source. Its last expression, or its `main(input)`, gives the result. */
  readonly source: string;
  /** Any JSON value. */
  readonly input: PythonValue;
  readonly signal: AbortSignal;
}

/**
 * Runs the author's JavaScript in a sandbox without access to the host: a fresh runtime for each call, bounded in time
 * and memory.
 */
export interface Scripts {
  /** Runs one script. Throws a ComponentError with the script's error, or with the bound that it exceeded. */
  call(call: ScriptCall): Promise<PythonValue>;
}
