import { HttpError } from '@millrace/http';
import type { FlowOutput } from '../../flow-traits/flow-traits';

// The errors of /api/v2/workflows: `detail` is an object with a short text, a code and a sentence.

export function unknownFlow(flowId: string): HttpError {
  return new HttpError('flow_unknown', {
    error: 'Flow not found',
    code: 'FLOW_NOT_FOUND',
    message: `Flow '${flowId}' does not exist. Verify the flow_id and try again.`,
    flow_id: flowId,
  });
}

export function unknownProtocol(name: string, available: readonly string[]): HttpError {
  return new HttpError('invalid_request', {
    error: 'Unknown stream_protocol',
    code: 'UNKNOWN_STREAM_PROTOCOL',
    message: `Unknown stream_protocol '${name}'.`,
    available,
  });
}

export function unsupportedByMode(mode: string, fields: readonly string[]): HttpError {
  return new HttpError('invalid_request', {
    error: 'Unsupported request fields for mode',
    code: 'MODE_UNSUPPORTED_FIELDS',
    message: `mode='${mode}' does not support request fields: ${fields.join(', ')}. They apply to mode='sync'.`,
    fields,
  });
}

/** The error of Langflow, whose other modes take these fields. */
export function unsupportedBySync(fields: readonly string[]): HttpError {
  return new HttpError('invalid_request', {
    error: 'Unsupported sync request fields',
    code: 'SYNC_MODE_UNSUPPORTED_FIELDS',
    message:
      `mode='sync' does not support request fields: ${fields.join(', ')}. Use mode='stream' or mode='background' ` +
      'for live-canvas overrides, files, or partial-run boundaries.',
    fields,
  });
}

/** The error of a run whose tweaks have a value of a wrong kind. */
export function invalidTweak(flowId: string, reason: string): HttpError {
  return new HttpError(
    'tweak_invalid',
    {
      error: 'Workflow validation error',
      code: 'INVALID_FLOW_DATA',
      message: `Failed to build graph from flow data: ${reason}`,
      flow_id: flowId,
    },
    { status: 400 },
  );
}

export function missingJobId(): HttpError {
  return new HttpError('invalid_value', {
    error: 'Missing required parameter',
    code: 'MISSING_PARAMETER',
    message: 'Job ID must be provided',
  });
}

export function unknownOutputs(outputIds: readonly string[], known: readonly FlowOutput[]): HttpError {
  const list = outputIds.map((id) => `'${id}'`).join(', ');
  return new HttpError('output_unknown', {
    error: 'Unknown output_ids',
    code: 'UNKNOWN_OUTPUT_IDS',
    message: `output_ids not produced by this flow: [${list}].`,
    available: known.map(({ id }) => id),
  });
}

export function unknownJob(runId: string, noun: 'Job' | 'Workflow job'): HttpError {
  return new HttpError('not_found', {
    error: `${noun} not found`,
    code: 'JOB_NOT_FOUND',
    message: `${noun} ${runId} not found`,
    job_id: runId,
  });
}

export function failedJob(runId: string, reason: string): HttpError {
  return new HttpError('job_failed', {
    error: 'Job failed',
    code: 'JOB_FAILED',
    message: reason,
    job_id: runId,
  });
}

export function overdueRun(runId: string, message = 'The run did not end within its deadline.'): HttpError {
  return new HttpError(
    'deadline_exceeded',
    {
      error: 'Execution timeout',
      code: 'EXECUTION_TIMEOUT',
      message,
      job_id: runId,
    },
    { status: 408 },
  );
}

/** The error of an unknown job when it is resumed, which has no sentence in Langflow. */
export function unknownResumable(runId: string): HttpError {
  return new HttpError('not_found', {
    error: 'Workflow job not found',
    code: 'JOB_NOT_FOUND',
    job_id: runId,
  });
}

/** The error of a user that the flow does not name. */
export function answeredByOthers(runId: string, answeredBy: readonly string[]): HttpError {
  const names = answeredBy.length > 0 ? `: ${answeredBy.join(', ')}` : '';
  return new HttpError('permission_denied', {
    error: 'Not allowed to answer',
    code: 'ANSWERED_BY_OTHERS',
    message: `The flow names who answers its questions${names}.`,
    job_id: runId,
  });
}

export function decisionRefused(runId: string, message: string): HttpError {
  return new HttpError('decision_refused', {
    error: 'Invalid decision',
    code: 'INVALID_DECISION',
    message,
    job_id: runId,
  });
}

/** The members of an error that say why a run did not take an answer. */
export interface NotResumable {
  readonly reason?: 'answered' | 'ended' | 'not_asked' | 'goes_on';
  /** ISO 8601. */
  readonly decided_at?: string;
  readonly decided_by?: string | null;
}

export function notResumable(
  runId: string,
  why: NotResumable = {},
  message = 'Job is not suspended, already resumed, or the request_id is stale.',
): HttpError {
  return new HttpError('not_resumable', {
    error: 'Job is not resumable',
    code: 'NOT_RESUMABLE',
    message,
    job_id: runId,
    ...why,
  });
}
