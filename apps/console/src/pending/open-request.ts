import type { OpenRequest } from '../api/pending';

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
