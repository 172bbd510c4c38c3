import { HttpError } from '@millrace/http';
import type { StoredRequest } from '@millrace/runs';
import { isRecord } from '../../http/bodies/parse-json';
import { normalizeUuid } from '../../http/validation/uuid-text';
import type { ProposedCall } from '../../run-events/forms/agui-run';
import { openRequest } from '../workflows/human-request-view';
import { decisionRefused } from '../workflows/workflow-errors';

type Values = Readonly<Record<string, unknown>>;

/** A decision in the shape of `/api/v2/workflows`. */
type Decision = Values & { readonly action_id: string; readonly values: Values };

/** A request with what a person decided about it; null: it is abandoned. */
export interface Decided {
  readonly request: StoredRequest;
  readonly decision: Decision | null;
}

/** What the id of an interrupt names. */
export interface InterruptReference {
  readonly runId: string;
  readonly requestId: string;
}

/** Returns a request as an interrupt of AG-UI, with the calls that it proposes. */
export function interruptOf(stored: StoredRequest): Values {
  const { kind, prompt, dueAt } = stored;
  const [first] = proposedCalls(stored);
  return {
    id: interruptIdOf(stored),
    reason: kind === 'tool_approval' ? 'tool_call' : 'input_required',
    message: prompt,
    ...(first && { toolCallId: first.id }),
    responseSchema: responseSchema(stored),
    ...(dueAt && { expiresAt: dueAt.toISOString() }),
    metadata: openRequest(stored),
  };
}

/** Returns the calls of an approval. `edited` are the arguments that a person gave the first one. */
export function proposedCalls(stored: StoredRequest, edited?: unknown): readonly ProposedCall[] {
  return (stored.action_requests ?? []).map(({ name, args }, index) => ({
    id: `${interruptIdOf(stored)}:${index}`,
    name,
    args: index === 0 && edited !== undefined ? edited : args,
  }));
}

/** Returns what the id of an interrupt names; null for a text that is none. */
export function interruptReference(text: string): InterruptReference | null {
  const [, id = '', requestId = ''] = /^([^:]+):(.+)$/s.exec(text) ?? [];
  const runId = normalizeUuid(id);
  return runId === null ? null : { runId, requestId };
}

/** Returns the decision that a payload means. Throws decision_refused for another shape, also for members that would be ignored. */
export function decisionOf(stored: StoredRequest, payload: unknown): Decision {
  const { runId, allowed_decisions: allowed } = stored;
  if (!isRecord(payload)) throw decisionRefused(runId, 'The payload is not an object.');
  const known = Object.keys(properties(stored));
  const extra = Object.keys(payload).find((name) => !known.includes(name));
  if (extra !== undefined)
    throw decisionRefused(runId, `The payload has "${extra}", which its responseSchema has not.`);
  const decision = stored.kind === 'tool_approval' ? approvalOf(runId, payload) : choiceOf(runId, payload);
  if (!allowed.includes(decision.action_id))
    throw decisionRefused(runId, `The interrupt allows ${allowed.join(', ')}: not ${decision.action_id}.`);
  return decision;
}

function choiceOf(runId: string, { action_id, values: given }: Values): Decision {
  const values = given ?? {};
  if (typeof action_id !== 'string') throw decisionRefused(runId, 'payload.action_id is not a text.');
  if (!isRecord(values)) throw decisionRefused(runId, 'payload.values is not an object.');
  return { action_id, values };
}

const APPROVAL_MEMBERS = ['approved', 'editedArgs', 'message', 'response'] as const;

/** Members that contradict each other are refused: a person must not approve what they meant to reject. */
function approvalOf(runId: string, payload: Values): Decision {
  // Clients that write each member give null for those that they do not use.
  const [approved, editedArgs, message, response] = APPROVAL_MEMBERS.map(
    (name) => payload[name] ?? undefined,
  );
  if (typeof approved !== 'boolean') throw decisionRefused(runId, 'payload.approved is not a boolean.');
  if (approved && (message !== undefined || response !== undefined))
    throw decisionRefused(runId, 'An approved call has neither a message nor a response.');
  if (!approved && editedArgs !== undefined)
    throw decisionRefused(runId, 'A call that is not approved has no editedArgs.');
  if (editedArgs !== undefined) {
    if (!isRecord(editedArgs)) throw decisionRefused(runId, 'payload.editedArgs is not an object.');
    return { action_id: 'edit', values: { args: editedArgs } };
  }
  if (approved) return { action_id: 'approve', values: {} };
  if (message !== undefined && response !== undefined)
    throw decisionRefused(runId, 'A payload has a message or a response.');
  const text = response ?? message ?? '';
  if (typeof text !== 'string') throw decisionRefused(runId, 'A message or a response is a text.');
  return {
    action_id: response === undefined ? 'reject' : 'respond',
    values: text === '' && response === undefined ? {} : { message: text },
  };
}

function responseSchema(stored: StoredRequest): Values {
  return {
    type: 'object',
    properties: properties(stored),
    required: [stored.kind === 'tool_approval' ? 'approved' : 'action_id'],
    additionalProperties: false,
  };
}

/** The members of a payload. For approvals they are those that AG-UI recommends, and a text for the model. */
function properties({ kind, allowed_decisions: allowed, arguments_schemas: schemas }: StoredRequest): Values {
  if (kind !== 'tool_approval') return { action_id: { enum: allowed }, values: { type: 'object' } };
  const text = (description: string) => ({ type: 'string', description });
  return {
    approved: { type: 'boolean' },
    ...(allowed.includes('edit') && {
      editedArgs: {
        type: 'object',
        ...schemas?.[0],
        description: 'Replaces the arguments of the first call.',
      },
    }),
    ...(allowed.includes('reject') && { message: text('Tells the model why the call is rejected.') }),
    ...(allowed.includes('respond') && { response: text('The model gets it in place of the result.') }),
  };
}

function interruptIdOf({ runId, request_id: requestId }: StoredRequest): string {
  return `${runId}:${requestId}`;
}

/** The error for an id that names no interrupt of this flow and thread, also for that of another user. */
export function unknownInterrupt(interruptId: string): HttpError {
  return new HttpError('not_found', {
    error: 'Interrupt not found',
    code: 'INTERRUPT_NOT_FOUND',
    message: 'The thread has no such interrupt of this flow.',
    interrupt_id: interruptId,
  });
}

/** `decided` says who has answered it, and when, where that is known. */
export function closedInterrupt(
  interruptId: string,
  decided: { readonly decided_at?: string; readonly decided_by?: string | null } = {},
): HttpError {
  return new HttpError('not_resumable', {
    error: 'Interrupt is closed',
    code: 'INTERRUPT_CLOSED',
    message: 'The interrupt has been answered, or its run has ended.',
    interrupt_id: interruptId,
    ...decided,
  });
}
