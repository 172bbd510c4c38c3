import { RunError } from '../errors';
import type { RunRequest } from '../run/run-request';
import type { Plan } from './plan';
import type { FlowProblem } from '../document/flow-problem';

/**
 * Returns why a run of this plan must be refused: one problem for each vertex that it would reach and that cannot run;
 * an empty list when the run is allowed. The set of vertices does not depend on the request today; the parameter keeps
 * that possible.
 */
export function refusals(plan: Plan, _request?: RunRequest): readonly FlowProblem[] {
  return plan.refusals;
}

/** Returns the error of a refused run. */
export function refusalError(problems: readonly FlowProblem[]): RunError {
  const reasons = problems.map((problem) => problem.message).join(' ');
  return new RunError('flow_refused', `This flow cannot run: ${reasons}`, { problems });
}
