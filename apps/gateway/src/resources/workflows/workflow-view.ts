import type { RunFailure, RunEnd } from '@millrace/messages';
import type { RunResponse, ShownRequest } from '@millrace/flow';
import { machineTime } from '@millrace/service';
import type { LangflowRelease } from '@millrace/service';
import { pythonIsoFormat } from '../../http/validation/date-time';
import type { FlowTraits } from '../../flow-traits/flow-traits';
import { workflowOutputs, workflowResults, workflowText } from './workflow-outputs';
import type { WorkflowOutput, WorkflowText } from './workflow-outputs';

/** The run that an answer describes, and the parts of its request that the answer repeats. */
export interface WorkflowSubject {
  readonly runId: string;
  readonly flowId: string;
  readonly sessionId: string;
  readonly release: LangflowRelease;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly globals: Readonly<Record<string, string>>;
  /** Ids of the outputs that the caller chose for the text; all unless given. */
  readonly selected?: readonly string[];
  /** Set when the answer is read later, which leaves out what did not run, as in Langflow. */
  readonly isStored?: true;
}

/** Why a run failed, with the class by which Langflow reports every failure of a component. */
interface WorkflowFault {
  readonly error: string;
  readonly code: string;
  readonly details?: { readonly flow_id: string; readonly error_type: 'ValueError' };
}

/** An ended run in the shape of `/api/v2/workflows`. */
export interface WorkflowResponse {
  readonly flow_id: string;
  /** Null for a run that failed. */
  readonly session_id: string | null;
  readonly job_id: string;
  readonly object: 'response';
  readonly created_timestamp: string;
  readonly status: 'completed' | 'failed' | 'cancelled' | 'suspended';
  readonly output: WorkflowText;
  readonly errors: readonly WorkflowFault[];
  /** Absent with the answers of Langflow 1.11. */
  readonly warnings?: readonly never[];
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly globals: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, WorkflowOutput>>;
  /** What a suspended run asks; null for another one. */
  readonly human_request: ShownRequest | null;
  readonly has_errors: boolean;
}

/** Returns the answer for a run that succeeded. */
export function completedWorkflow(
  subject: WorkflowSubject,
  response: RunResponse,
  traits: Pick<FlowTraits, 'outputs' | 'terminals'>,
): WorkflowResponse {
  const { release, isStored } = subject;
  const outputs =
    release === '1.11'
      ? workflowResults(response, traits.outputs)
      : workflowOutputs(response, traits, { onlyRan: isStored === true });
  const output = workflowText(outputs, release, subject.selected);
  return { ...base(subject), status: 'completed', output, outputs };
}

/** Returns the answer for a run that waits for a person. */
export function suspendedWorkflow(subject: WorkflowSubject, request: ShownRequest): WorkflowResponse {
  const output = { reason: 'none', text: null, source: null } as const;
  return { ...base(subject), status: 'suspended', output, human_request: request };
}

/** Returns the answer for a run that failed or was cancelled, which is not an error of the request. */
export function failedWorkflow(
  subject: WorkflowSubject,
  status: RunEnd,
  { message, code }: RunFailure,
): WorkflowResponse {
  const { flowId } = subject;
  const details = { flow_id: flowId, error_type: 'ValueError' } as const;
  return {
    ...base(subject),
    session_id: null,
    status: status === 'cancelled' ? 'cancelled' : 'failed',
    output: { reason: 'failed', text: null, source: null },
    errors: [
      code === 'component_failed'
        ? { error: message, code: 'EXECUTION_ERROR', details }
        : { error: message, code: code.toUpperCase() },
    ],
    has_errors: true,
  };
}

/** Returns a run as a job. */
export function workflowJob(
  { runId, flowId, globals }: Pick<WorkflowSubject, 'runId' | 'flowId' | 'globals'>,
  status: 'queued' | 'in_progress' | 'suspended' | 'cancelled',
): Record<string, unknown> {
  return {
    job_id: runId,
    flow_id: flowId,
    object: 'job',
    created_timestamp: pythonIsoFormat(new Date(machineTime())),
    status,
    links: {
      status: `/api/v2/workflows?job_id=${runId}`,
      events: `/api/v2/workflows/${runId}/events`,
      stop: '/api/v2/workflows/stop',
    },
    errors: [],
    globals,
  };
}

function base({ runId, flowId, sessionId, release, inputs, globals }: WorkflowSubject) {
  return {
    flow_id: flowId,
    session_id: sessionId,
    job_id: runId,
    object: 'response' as const,
    created_timestamp: pythonIsoFormat(new Date(machineTime())),
    errors: [],
    ...(release === '1.11' ? {} : { warnings: [] }),
    inputs,
    globals,
    outputs: {},
    human_request: null,
    has_errors: false,
  };
}
