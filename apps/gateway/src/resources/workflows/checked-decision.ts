import { argumentFault, NO_CHOICE } from '@millrace/flow';
import type { HumanDecision } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import type { StoredRequest } from '@millrace/runs';
import { isRecord } from '../../http/bodies/parse-json';

/** A decision as a caller gives it; `abandoned`: the person decides nothing. */
export type GivenDecision = Readonly<Record<string, unknown>> | null | 'abandoned';

/** Returns a decision that a request allows, or the sentence that refuses it. Without a request that waits there is no choice to check. */
export function checkedDecision(
  request: StoredRequest | undefined,
  decision: GivenDecision,
): HumanDecision | string {
  if (decision === 'abandoned') return abandonedDecision(request);
  const action = decision?.['action_id'];
  if (request && !request.allowed_decisions.some((allowed) => allowed === action))
    return "decision.action_id is not one of the pending request's allowed_decisions.";
  const values = decision?.['values'] ?? {};
  if (!isRecord(values)) return 'decision.values is not an object.';
  const calls = namedCalls(decision?.['calls'], request);
  if (calls === null) return 'decision.calls is not a list of places of action_requests.';
  const isApproval = request?.kind === 'tool_approval';
  const fault = isApproval ? approvalFault(request, { action, values, calls }) : null;
  if (fault !== null) return fault;
  const used = isApproval ? approvalValues(action, values) : (values as PythonObject);
  return { action_id: String(action), values: used, ...(calls && { calls }) };
}

/** Returns the values of a decision about calls in one of the ways to give them: `args` or `message`. */
function approvalValues(action: unknown, values: Readonly<Record<string, unknown>>): PythonObject {
  if (action === 'edit') return { args: ('args' in values ? values['args'] : values) as PythonObject };
  const message = values['message'] || values['response'];
  return typeof message === 'string' && message !== '' ? { message } : {};
}

/** The call of a tool is not made. A question takes its fallback, or else none of its choices. */
function abandonedDecision(request: StoredRequest | undefined): HumanDecision {
  const { kind, fallback_action: fallback = null } = request ?? {};
  return { action_id: kind === 'tool_approval' ? 'reject' : (fallback ?? NO_CHOICE), values: {} };
}

interface GivenApproval {
  readonly action: unknown;
  readonly values: Readonly<Record<string, unknown>>;
  readonly calls: readonly number[] | undefined;
}

/** Returns what is wrong with the values of a decision about calls; null for nothing. What would be ignored is wrong. */
function approvalFault(request: StoredRequest, { action, values, calls }: GivenApproval): string | null {
  if (action !== 'edit') return textFault(action, values);
  const hasArgs = 'args' in values;
  const args = hasArgs ? values['args'] : values;
  if (Object.keys(values).length === 0) return 'decision.values.args is missing.';
  if (!isRecord(args)) return 'decision.values.args is not an object.';
  const extra = hasArgs
    ? Object.keys(values).find((name) => name !== 'args' && isGiven(values[name]))
    : undefined;
  if (extra !== undefined) return `decision.values.${extra} is not for edit.`;
  const schema = request.arguments_schemas?.[Math.min(...(calls ?? [0]))];
  return schema ? argumentFault(schema, args as PythonObject) : null;
}

/** The members of the values of a decision that edits nothing, and the decisions that use them. */
const TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['message', ['reject', 'respond']],
  ['response', ['respond']],
]);

function textFault(action: unknown, values: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue;
    const users = TEXTS.get(name);
    if (users && typeof value !== 'string') return `decision.values.${name} is not a text.`;
    // A person must not approve what they meant to edit or to reject.
    if (value !== '' && !users?.some((one) => one === action))
      return `decision.values.${name} is not for ${String(action)}.`;
  }
  const hasText = [...TEXTS.keys()].some((name) => typeof values[name] === 'string');
  return action === 'respond' && !hasText ? 'decision.values.message is missing.' : null;
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== '';
}

/** Returns the places of the calls that a decision is for; undefined for all of them, null for a list that names none. */
function namedCalls(
  given: unknown,
  request: StoredRequest | undefined,
): readonly number[] | undefined | null {
  // Without a request that waits the answer is refused for that.
  if (given === undefined || given === null || request === undefined) return undefined;
  const count = request.action_requests?.length ?? 0;
  const isPlace = (place: unknown): place is number =>
    typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < count;
  if (!Array.isArray(given) || given.length === 0 || new Set(given).size < given.length) return null;
  return given.every(isPlace) ? given : null;
}
