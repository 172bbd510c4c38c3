import type { Plan, RunRequest, RunResponse } from '@millrace/flow';
import type { RunEnvironment } from './run-environment';

/**
 * Executes a plan for one run: once per input, each with a fresh state. Resolves to the whole answer; rejects with a
 * RunError whose message is what the caller is told.
 */
export function execute(
  _plan: Plan,
  _request: RunRequest,
  _environment: RunEnvironment,
): Promise<RunResponse> {
  throw new Error('not written yet');
}
