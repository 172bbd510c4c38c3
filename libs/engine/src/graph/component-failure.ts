import { RunError } from '@millrace/flow';
import type { PlanVertex } from '@millrace/flow';
import { errorText } from '../run/error-text';

/** Returns the run's error for the failure of a vertex's component; it contains the component's error text. */
export function componentFailure(vertex: PlanVertex, error: unknown): RunError {
  const { id, displayName, type } = vertex;
  const permanent =
    typeof error === 'object' && error !== null && 'permanent' in error ? error.permanent !== false : true;
  return new RunError(
    'component_failed',
    `Error running graph: Error building Component ${displayName}: \n\n${errorText(error)}`,
    { vertex: { id, displayName, type }, cause: error, permanent },
  );
}
