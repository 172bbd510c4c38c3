import type { ResultData, RunResponse } from '@millrace/flow';
import type { FlowOutput } from '../../flow-traits/flow-traits';

/** One output of a run in the shape of `/api/v2/workflows`. */
export interface WorkflowOutput {
  readonly type: string;
  readonly status: 'completed';
  readonly display_name: string;
  readonly content: unknown;
  readonly metadata: { readonly component_type: string };
}

/** The text of a run, or the reason why there is none. */
export interface WorkflowText {
  readonly reason: 'single' | 'multiple' | 'none' | 'non_string' | 'failed';
  readonly text: string | null;
  readonly source: string | null;
}

/** Returns the outputs of a run by vertex id. */
export function workflowOutputs(
  { outputs }: RunResponse,
  known: readonly FlowOutput[],
): Readonly<Record<string, WorkflowOutput>> {
  const results = outputs.flatMap((input) => input.outputs);
  return Object.fromEntries(
    results.map((result) => {
      const type = known.find(({ id }) => id === result.component_id)?.type;
      return [result.component_id, outputOf(result, type ?? typeInId(result.component_id))];
    }),
  );
}

/** Returns the text for callers that expect a single text. */
export function workflowText(outputs: Readonly<Record<string, WorkflowOutput>>): WorkflowText {
  const [first, second] = Object.entries(outputs);
  if (!first) return { reason: 'none', text: null, source: null };
  if (second) return { reason: 'multiple', text: null, source: null };
  const [source, { content }] = first;
  return typeof content === 'string'
    ? { reason: 'single', text: content, source }
    : { reason: 'non_string', text: null, source };
}

function outputOf(result: ResultData, componentType: string): WorkflowOutput {
  const [name, shown] = Object.entries(result.outputs)[0] ?? [];
  const isText = shown !== undefined && ['text', 'message'].includes(shown.type);
  return {
    type: isText ? 'message' : shown?.type === 'array' ? 'dataframe' : 'data',
    status: 'completed',
    display_name: result.component_display_name,
    content: contentOf(result, name, shown?.message),
    metadata: { component_type: componentType },
  };
}

/** Returns the text of a message without the doubled lines of its chat form, or any other value unchanged. */
function contentOf({ results }: ResultData, name: string | undefined, shown: unknown): unknown {
  const result = name === undefined ? undefined : results[name];
  if (typeof result === 'object' && result !== null && 'text' in result && typeof result.text === 'string')
    return result.text;
  return shown ?? null;
}

function typeInId(id: string): string {
  const dash = id.lastIndexOf('-');
  return dash > 0 ? id.slice(0, dash) : id;
}
