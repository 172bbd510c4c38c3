import type { PythonValue } from '@millrace/python-text';
import type { PythonPool } from '../index';
import { runPythonFlow } from './python-flow.fixture';
import type { FlowRunOptions } from './python-flow.fixture';

/** Runs a flow of one component with the output `result`, and returns its value. */
export async function runText(
  pool: PythonPool,
  code: string,
  options: FlowRunOptions = {},
): Promise<PythonValue> {
  const { shown } = await runPythonFlow(
    pool,
    [
      { id: 'C-1', code, outputs: ['result'] },
      { id: 'Show-1', from: { value: 'C-1.result' } },
    ],
    { timeoutMilliseconds: 120_000, ...options },
  );
  return shown.get('Show-1') ?? null;
}

/** Returns the error of a run that fails. */
export async function failureOf(
  run: Promise<unknown>,
): Promise<Error & { readonly cause?: unknown; readonly permanent?: boolean }> {
  try {
    await run;
  } catch (error) {
    return error as Error;
  }
  throw new Error('The run did not fail.');
}
