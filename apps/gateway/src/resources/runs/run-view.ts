import { HttpError } from '@millrace/http';
import type { RunStatus } from '@millrace/runs';
import { mayBeUnrecorded } from '../../runs/unrecorded-run-id';
import { pathParameter } from '../../http/routing/route';
import type { Call } from '../../http/routing/route';
import { parseUuidStrictly } from '../../http/validation/uuid-text';
import { invalidRequest } from '../../http/validation/validator';

/** Reads the parameter `status`, which must be one of these; undefined when it is absent. */
export function statusParameter(
  query: URLSearchParams,
  statuses: readonly RunStatus[],
): RunStatus | undefined {
  const text = query.get('status');
  if (text === null) return undefined;
  const status = statuses.find((known) => known === text);
  if (status) return status;
  const expected = statuses.map((known) => `'${known}'`).join(', ');
  const msg = `Input should be one of ${expected}`;
  throw invalidRequest([
    { type: 'literal_error', loc: ['query', 'status'], msg, input: text, ctx: { expected } },
  ]);
}

/** Returns the id of the run that a path names. */
export function runIdOf(request: Call['request']): string {
  return parseUuidStrictly(pathParameter(request, 'run_id'), ['path', 'run_id']);
}

export function unknownRun(runId: string): HttpError {
  return mayBeUnrecorded(runId)
    ? new HttpError('not_recorded', 'The run has no record')
    : new HttpError('not_found', 'Run not found');
}
