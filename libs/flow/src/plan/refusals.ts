import { RunError } from '../errors';
import type { RunRequest } from '../run/run-request';
import type { FlowProblem, Plan } from './plan';

/**
 * Why a run of this plan must be refused: a problem for each vertex it would reach and cannot run; empty when it may
 * run. Which vertices run does not depend on the request today; it is asked for so that it may.
 */
export function refusals(plan: Plan, _request?: RunRequest): readonly FlowProblem[] {
  return plan.refusals;
}

/** The error of a refused run. */
export function refusalError(problems: readonly FlowProblem[]): RunError {
  const reasons = problems.map((problem) => problem.message).join(' ');
  return new RunError('flow_refused', `This flow cannot run: ${reasons}`, { problems });
}
