import type { PythonObject } from '@millrace/python-text';
import { RunError } from '../errors';

/** The decision that is taken when the time of a request is over. */
export const FALLBACK_DECISION = 'fallback';

/** The decision of a person who has abandoned a question without a fallback. No choice has this id. */
export const NO_CHOICE = 'Cancelled';

/** A choice that a request for human input offers. */
export interface HumanOption {
  readonly action_id: string;
  readonly label: string;
}

/** A call of a tool that a person decides about. */
export interface ToolCallRequest {
  readonly name: string;
  readonly args: PythonObject;
  readonly description: string;
}

/** A request for human input, in Langflow's shape. The run waits until a person has answered it. */
export interface HumanRequest {
  /** Unique within the run, and the same in each attempt. */
  readonly request_id: string;
  readonly kind: 'node_input' | 'tool_approval';
  readonly prompt: string;
  readonly options: readonly HumanOption[];
  /** The ids of the options, and of the fallback if there is one. */
  readonly allowed_decisions: readonly string[];
  /** The calls that a tool approval is about. */
  readonly action_requests?: readonly ToolCallRequest[];
  /** The JSON Schema of the arguments of each call, if they can be edited; not part of Langflow's shape. */
  readonly arguments_schemas?: readonly Readonly<Record<string, unknown>>[];
  /** 0: the request has no end. */
  readonly timeout_seconds: number;
  /** The decision that is taken when the time is over; null: the run then ends. */
  readonly fallback_action: string | null;
}

/** A request as Langflow shows it: an approval has calls, another one its time-out. */
export type ShownRequest = Omit<HumanRequest, 'timeout_seconds' | 'fallback_action' | 'arguments_schemas'> &
  Partial<Pick<HumanRequest, 'timeout_seconds' | 'fallback_action'>> & { readonly paused_at?: string };

/** `pausedAt` is the time of the request, in ISO 8601 as Python writes it. */
export function shownRequest(request: HumanRequest, pausedAt: string): ShownRequest {
  const { request_id, kind, prompt, options, allowed_decisions } = request;
  const common = { request_id, kind, prompt, options, allowed_decisions };
  const { action_requests, timeout_seconds, fallback_action } = request;
  return action_requests === undefined
    ? { ...common, timeout_seconds, fallback_action, paused_at: pausedAt }
    : { ...common, action_requests };
}

/** The answer to a request. */
export interface HumanDecision {
  readonly action_id: string;
  /** What the person entered beside their choice. */
  readonly values: PythonObject;
  /** The places of the calls that it decides about, from 0; all of them unless given. The others are asked about again. */
  readonly calls?: readonly number[];
}

/** Thrown by a vertex that waits for human input: the run is suspended when nothing else of it can run. */
export class RunSuspension extends Error {
  /** Empty for a vertex that waits for another one that is suspended. */
  readonly requests: readonly HumanRequest[];

  constructor(requests: readonly HumanRequest[]) {
    super('The run waits for human input.');
    this.name = 'RunSuspension';
    // Readers of one stream all get the error of its vertex.
    this.requests = [...new Map(requests.map((request) => [request.request_id, request])).values()];
  }
}

/** The refusal of a run that cannot wait, as in Langflow. */
export const CANNOT_WAIT_FOR_HUMAN =
  'This flow uses Human-in-the-Loop (a Human Input node or a tool that requires approval), which the v1 run API cannot execute because it cannot pause and resume. ' +
  "Run it with the v2 workflows API instead: POST /api/v2/workflows with mode='background', then resume via POST /api/v2/workflows/{job_id}/resume.";

/** Returns the error of a vertex that would ask a person in a run that cannot wait. It ends the run, which must not go on unasked. */
export function cannotWait({
  id,
  displayName,
}: {
  readonly id: string;
  readonly displayName: string;
}): RunError {
  return new RunError(
    'human_input_unsupported',
    `"${displayName}" (${id}) asks a person. ${CANNOT_WAIT_FOR_HUMAN}`,
  );
}
