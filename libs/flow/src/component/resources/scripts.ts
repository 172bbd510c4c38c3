import type { PythonValue } from '../../values/python-value';

export interface ScriptCall {
  /** JavaScript whose last expression, or whose `main(input)`, gives the result. */
  readonly source: string;
  /** Any JSON value. */
  readonly input: PythonValue;
  readonly signal: AbortSignal;
}

/** Runs the author's JavaScript where it can reach nothing, in a fresh runtime each time, bounded in time and memory. */
export interface Scripts {
  /** Throws a ComponentError with the script's own error, or the bound it ran into. */
  call(call: ScriptCall): Promise<PythonValue>;
}
