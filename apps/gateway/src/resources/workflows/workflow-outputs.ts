import type { ResultData, RunResponse } from '@millrace/flow';
import type { LangflowRelease } from '@millrace/service';
import type { FlowOutput, FlowTerminal, FlowTraits } from '../../flow-traits/flow-traits';

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

/** Types of outputs whose content is a text. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['message', 'text']);

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

/** Returns the vertices without followers that are not outputs: Langflow 1.13 lists them, also those that did not run. */
export function workflowTerminals({
  terminals,
}: Pick<FlowTraits, 'terminals'>): Readonly<Record<string, WorkflowOutput>> {
  return Object.fromEntries(
    terminals.filter(hasNoContent).map(({ id, type, displayName, outputType }) => [
      id,
      {
        type: outputType,
        status: 'completed',
        display_name: displayName,
        content: null,
        metadata: { component_type: type },
      },
    ]),
  );
}

/** Returns the text for callers that expect a single text. */
export function workflowText(
  outputs: Readonly<Record<string, WorkflowOutput>>,
  release: LangflowRelease,
): WorkflowText {
  const all = Object.entries(outputs);
  const texts = all.filter(([, { type }]) => release === '1.11' || TEXT_TYPES.has(type));
  const strings = texts.filter(([, { content }]) => release === '1.11' || typeof content === 'string');
  const [first, second] = strings;
  if (second) return { reason: 'multiple', text: null, source: null };
  if (!first) return { reason: texts.length > 0 ? 'non_string' : 'none', text: null, source: null };
  const [source, { content }] = first;
  return typeof content === 'string'
    ? { reason: 'single', text: content, source }
    : { reason: 'non_string', text: null, source };
}

/** Langflow shows the results of the other ones, which the answer of a run does not hold. */
function hasNoContent({ type, outputType, runs }: FlowTerminal): boolean {
  return !runs || (!['data', 'dataframe'].includes(outputType) && type !== 'SaveToFile');
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
