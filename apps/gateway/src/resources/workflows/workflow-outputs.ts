import type { ResultData, RunResponse } from '@millrace/flow';
import type { LangflowRelease } from '@millrace/service';
import type { FlowOutput, FlowTerminal, FlowTraits } from '../../flow-traits/flow-traits';

/** One output of a run in the shape of `/api/v2/workflows`. */
export interface WorkflowOutput {
  readonly type: string;
  readonly status: 'completed';
  readonly display_name: string;
  readonly content: unknown;
  readonly metadata: {
    readonly component_type: string;
    readonly source?: { readonly id: string; readonly display_name: string; readonly source: unknown };
    readonly file_path?: string;
  };
}

/** The text of a run, or the reason why there is none. */
export interface WorkflowText {
  readonly reason: 'single' | 'multiple' | 'none' | 'non_string' | 'failed';
  readonly text: string | null;
  readonly source: string | null;
}

/** Types of outputs whose content is a text. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['message', 'text']);

/** Returns the outputs of a run by vertex id, as Langflow 1.11 does: the vertices whose results are outputs. */
export function workflowResults(
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

/** Returns the outputs of a run by vertex id, as Langflow 1.13 does: all vertices without followers, or those of them that ran. */
export function workflowOutputs(
  { outputs }: RunResponse,
  { terminals }: Pick<FlowTraits, 'terminals'>,
  { onlyRan = false } = {},
): Readonly<Record<string, WorkflowOutput>> {
  const results = new Map(
    outputs.flatMap((input) => input.outputs).map((result) => [result.component_id, result]),
  );
  return Object.fromEntries(
    terminals
      .filter(({ id }) => !onlyRan || results.has(id))
      .map((terminal) => [terminal.id, terminalOutput(terminal, results.get(terminal.id))]),
  );
}

/** Returns the text for callers that expect a single text, among the outputs with the selected ids, or all without any. */
export function workflowText(
  outputs: Readonly<Record<string, WorkflowOutput>>,
  release: LangflowRelease,
  selected: readonly string[] = [],
): WorkflowText {
  const all = Object.entries(outputs).filter(([id]) => selected.length === 0 || selected.includes(id));
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

function terminalOutput(terminal: FlowTerminal, result: ResultData | undefined): WorkflowOutput {
  const { type, displayName, outputType, isOutput } = terminal;
  const showsContent = isOutput || ['data', 'dataframe'].includes(outputType);
  return {
    type: outputType,
    status: 'completed',
    display_name: displayName,
    content: result !== undefined && showsContent ? simplified(result, outputType) : null,
    metadata: {
      component_type: type,
      ...(result === undefined || showsContent || outputType !== 'message' ? {} : origin(terminal, result)),
    },
  };
}

/** Returns the value of the output that Langflow looks for in a vertex of this type; all outputs without one. */
function simplified(result: ResultData, outputType: string): unknown {
  if (TEXT_TYPES.has(outputType)) {
    const name = ['message', 'text'].find(
      (one) => typeof contentOf(result, one, shownOf(result, one)) === 'string',
    );
    return name === undefined ? result.outputs : contentOf(result, name, shownOf(result, name));
  }
  const names = outputType === 'data' ? ['result', 'results'] : ['results', 'result', 'run_sql_query'];
  const found = names.map((name) => shownOf(result, name)).find((value) => value != null);
  return found ?? result.outputs;
}

function shownOf({ outputs }: ResultData, name: string): unknown {
  return outputs[name]?.message;
}

/** Returns which model or which file the text of a vertex comes from, where that is known. */
function origin(
  { id, type, displayName }: FlowTerminal,
  result: ResultData,
): Partial<WorkflowOutput['metadata']> {
  const model = shownOf(result, 'model_output');
  const name = typeof model === 'object' && model !== null && 'model_name' in model ? model.model_name : null;
  const file = type === 'SaveToFile' ? shownOf(result, 'message') : null;
  return {
    ...(name ? { source: { id, display_name: displayName, source: name } } : {}),
    ...(typeof file === 'string' && file !== '' ? { file_path: file } : {}),
  };
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
