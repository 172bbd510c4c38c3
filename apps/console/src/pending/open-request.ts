import type { ApiError } from '../api/client';
import type { OpenRequest } from '../api/pending';
import { exactTime } from '../ui/format';

/** The vertex that asks: the id of a request begins with it and the id of the run. */
export function vertexOf({
  request_id: id,
  run_id: run,
}: Pick<OpenRequest, 'request_id' | 'run_id'>): string {
  const end = id.indexOf(`:${run}`);
  return end < 0 ? id : id.slice(0, end);
}

/** The text of a decision's button. */
export function labelOf({ options }: Pick<OpenRequest, 'options'>, decision: string): string {
  const label = options.find(({ action_id }) => action_id === decision)?.label ?? decision;
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/** Says who is asked in a question that the user cannot answer. */
export function askedOf({ answered_by: names = [] }: Pick<OpenRequest, 'answered_by'>): string {
  const shown = names.map((name) => (name === 'superusers' ? 'all admins' : name));
  return `The flow asks others: ${shown.join(', ')}.`;
}

/** Why an answer was not taken; undefined for an error that another answer may not have. */
export function missedText({
  status,
  message,
  detail,
}: Pick<ApiError, 'status' | 'message' | 'detail'>): string | undefined {
  if (status === 404) return 'The answer was not taken: the run is no longer kept.';
  if (status !== 409) return undefined;
  const { reason, decided_at: at, decided_by: by } = (detail ?? {}) as Missed;
  if (reason === 'goes_on') return `The answer was not taken. ${message}`;
  if (reason === 'ended') return 'The answer was not taken: the run has ended.';
  if (reason !== 'answered' || at === undefined)
    return 'The answer was not taken: the run does not ask this now.';
  if (by === null) return `The answer was not taken: the time of the question was over at ${exactTime(at)}.`;
  const how = by === 'decision link' ? ' by a decision link' : '';
  return `The answer was not taken: another one was given at ${exactTime(at)}${how}.`;
}

interface Missed {
  readonly reason?: 'answered' | 'ended' | 'not_asked' | 'goes_on';
  readonly decided_at?: string;
  readonly decided_by?: string | null;
}

/** What an approval needs beside the decision: other arguments, or a text for the model. */
export type Field = 'args' | 'message';

export function fieldOf(kind: OpenRequest['kind'], decision: string): Field | undefined {
  if (kind !== 'tool_approval') return undefined;
  if (decision === 'edit') return 'args';
  return decision === 'reject' || decision === 'respond' ? 'message' : undefined;
}

/** The values of a decision. Throws when the arguments are no JSON object. */
export function valuesOf(field: Field | undefined, text: string): Readonly<Record<string, unknown>> {
  if (field === undefined) return {};
  if (field === 'message') return text.trim() === '' ? {} : { message: text };
  return { args: objectIn(text) };
}

function objectIn(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The arguments are no JSON: ${reason}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('The arguments are no JSON object.');
  return value;
}
