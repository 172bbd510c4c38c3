import { createHash } from 'node:crypto';
import { isDict } from '@millrace/flow';
import type {
  ComponentContext,
  HumanDecision,
  HumanRequest,
  ToolApproval,
  ToolCallRequest,
  ToolHandle,
} from '@millrace/flow';
import { jsonDumpsCompact, repr } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { ToolCall } from '../../integrations/models/tool-call';
import { parseArguments } from './call-tool';
import type { StartedCall, ToolStep } from './call-tool';

/** What is done with a call: it is made, perhaps with other arguments, or the model gets a text in place of its result. */
export type DecidedCall =
  | { readonly kind: 'call'; readonly call: ToolCall }
  | { readonly kind: 'answer'; readonly call: ToolCall; readonly text: string; readonly failed: boolean };

const labels: Readonly<Record<ToolApproval, string>> = {
  approve: 'Approve',
  edit: 'Edit',
  reject: 'Reject',
  respond: 'Respond',
};

/**
 * Asks a person about the calls of one answer whose tools want that, and returns what is done with each call. As in Langflow,
 * one decision is for all of them, unless it names some: the others are then asked about again. Throws a RunSuspension until the
 * person has decided about all. `scope` names the conversation among those of the vertex, and `answer` counts the answers of the model.
 */
export function approveCalls(
  { tools, scope }: { readonly tools: readonly ToolHandle[]; readonly scope: string },
  calls: readonly ToolCall[],
  answer: number,
  context: ComponentContext,
): readonly DecidedCall[] {
  const toolOf = ({ name }: ToolCall) => tools.find((tool) => tool.name === name);
  const approvalsOf = (call: ToolCall): readonly ToolApproval[] => toolOf(call)?.approvals ?? [];
  const asked = calls.filter((call) => approvalsOf(call).length > 0);
  const taken = new Map<ToolCall, DecidedCall>();
  for (let open = asked; open.length > 0; open = open.filter((call) => !taken.has(call))) {
    // As in Langflow, a digest: a decision is for these calls, whatever a model that is asked again wants to call.
    const digest = createHash('sha256')
      .update(JSON.stringify([scope, answer, open.map(({ name, argumentsText }) => [name, argumentsText])]))
      .digest('hex');
    const decision = context.askHuman(approvalRequest(open, toolOf), digest.slice(0, 32));
    const named = open.filter((_, index) => decision?.calls?.includes(index));
    const chosen = named.length > 0 ? named : open;
    for (const call of chosen) {
      const rules = { allowed: approvalsOf(call), isFirst: call === chosen[0] };
      taken.set(call, decided(call, decision, rules));
    }
  }
  return calls.map((call) => taken.get(call) ?? { kind: 'call', call });
}

function approvalRequest(
  calls: readonly ToolCall[],
  toolOf: (call: ToolCall) => ToolHandle | undefined,
): Omit<HumanRequest, 'request_id'> {
  const allowed = [...new Set(calls.flatMap((call) => toolOf(call)?.approvals ?? []))];
  const requests = calls.map(callRequest);
  const schemas = allowed.includes('edit') ? calls.map((call) => toolOf(call)?.parameters ?? {}) : [];
  return {
    kind: 'tool_approval',
    prompt: requests[0]?.description ?? '',
    options: allowed.map((action_id) => ({ action_id, label: labels[action_id] })),
    allowed_decisions: allowed,
    action_requests: requests,
    ...(schemas.length > 0 && { arguments_schemas: schemas }),
    timeout_seconds: 0,
    fallback_action: null,
  };
}

/** Returns the step of a call that is not made: the text of the person is its result. */
export function answeredStep(
  { call, text, failed }: Extract<DecidedCall, { kind: 'answer' }>,
  onCall: ((call: StartedCall) => void) | undefined,
): ToolStep {
  const { id, name, argumentsText } = call;
  const input = parseArguments(argumentsText) ?? argumentsText;
  onCall?.({ id, name, description: '', input });
  return { id, name, input, output: text, artifact: null, failed, answered: true, milliseconds: 0 };
}

function callRequest({ name, argumentsText }: ToolCall): ToolCallRequest {
  const args = parseArguments(argumentsText) ?? {};
  const description = `Tool execution requires approval\n\nTool: ${name}\nArgs: ${repr(args)}`;
  return { name, args, description };
}

/**
 * A decision that the tool of one of several calls does not allow rejects that call. Edited arguments are for the first of them:
 * the others are rejected, because a person has neither approved them nor edited theirs.
 */
function decided(
  call: ToolCall,
  decision: HumanDecision | null,
  { allowed, isFirst }: { readonly allowed: readonly ToolApproval[]; readonly isFirst: boolean },
): DecidedCall {
  const { action_id = '', values = {} } = decision ?? {};
  const action = allowed.find((one) => one === action_id) ?? 'reject';
  const message = textIn(values['message'] ?? null);
  switch (action) {
    case 'approve':
      return { kind: 'call', call };
    case 'edit': {
      const args = values['args'] ?? null;
      if (!isFirst || !isDict(args)) return { kind: 'answer', call, text: rejected(call), failed: true };
      return { kind: 'call', call: { ...call, argumentsText: jsonDumpsCompact(args) } };
    }
    case 'reject':
      return { kind: 'answer', call, text: rejected(call, message), failed: true };
    case 'respond':
      return { kind: 'answer', call, text: message, failed: false };
  }
}

function rejected({ name, id }: ToolCall, reason = ''): string {
  const call = `User rejected the tool call for \`${name}\``;
  if (reason !== '') return `${call} with reason: ${reason}`;
  return `${call} with id ${id}. The tool was not executed. Do not retry this tool call unless the user explicitly requests it.`;
}

function textIn(value: PythonValue): string {
  return typeof value === 'string' ? value : '';
}
