import { RunError, RunSuspension, isDict, observeStep } from '@millrace/flow';
import type { ComponentContext, RunMoment, ToolHandle } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import type { ToolCall } from '../../integrations/models/tool-call';

/** A tool call that begins. */
export interface StartedCall {
  readonly id: string;
  readonly name: string;
  /** Empty for a tool that does not exist. */
  readonly description: string;
  /** The arguments, or their text when it is not a JSON object. */
  readonly input: PythonValue;
}

/** One finished tool call. */
export interface ToolStep {
  readonly id: string;
  readonly name: string;
  readonly input: PythonValue;
  /** The text for the model: the result, or the error. */
  readonly output: string;
  /** The value whose JSON the result is; null for a text. */
  readonly artifact: PythonValue;
  readonly failed: boolean;
  /** Whether the tool answered, with its result or with an error. */
  readonly answered: boolean;
  readonly milliseconds: number;
}

export interface ToolCallConditions {
  readonly toleratesErrors: boolean;
  readonly at: RunMoment;
  /** Called first, also for a call that cannot be made. */
  readonly onCall?: ((call: StartedCall) => void) | undefined;
}

/**
 * Makes a tool call that a model requested. Errors are returned to the model, which can correct the call. Rejects when
 * the run ends, and when the tool fails while `toleratesErrors` is false. `at` is the moment of the call in the run.
 */
export async function callTool(
  tools: readonly ToolHandle[],
  { id, name, argumentsText }: ToolCall,
  { toleratesErrors, at, onCall }: ToolCallConditions,
  context: ComponentContext,
): Promise<ToolStep> {
  const started = performance.now();
  const tool = tools.find((candidate) => candidate.name === name);
  const step = (input: PythonValue, output: string, failed: boolean, answered = !failed): ToolStep => ({
    id,
    name,
    input,
    output,
    artifact: tool?.answersJson === true && !failed ? valueOf(output) : null,
    failed,
    answered,
    milliseconds: Math.round(performance.now() - started),
  });
  const callArguments = parseArguments(argumentsText);
  onCall?.({ id, name, description: tool?.description ?? '', input: callArguments ?? argumentsText });
  if (tool === undefined) {
    const names = tools.map((candidate) => candidate.name).join(', ');
    return step(argumentsText, `Error: there is no tool "${name}". The tools are: ${names}.`, true);
  }
  if (callArguments === null) {
    return step(
      argumentsText,
      `Error: the arguments are not a JSON object: ${argumentsText.slice(0, 200)}`,
      true,
    );
  }
  try {
    const output = await observeStep(
      context.observation?.toolCall({ id, name, description: tool.description, arguments: callArguments }),
      () => tool.call(callArguments, at),
      (text) => text,
    );
    return step(callArguments, output, false);
  } catch (error) {
    const endsRun = error instanceof RunError || error instanceof RunSuspension || context.signal.aborted;
    if (!toleratesErrors || endsRun) throw error;
    const text = error instanceof Error ? error.message : String(error);
    return step(callArguments, text, true, tool.answersErrors === true);
  }
}

/** Returns the arguments of a call; null when their text is not a JSON object. */
export function parseArguments(text: string): PythonObject | null {
  if (text.trim() === '') return {};
  const value = valueOf(text);
  return isDict(value) ? value : null;
}

/** Returns the value of a text in JSON; null for any other text. */
function valueOf(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch {
    return null;
  }
}
