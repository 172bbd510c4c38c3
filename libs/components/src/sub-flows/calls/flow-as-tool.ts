import { argumentsDigest, ComponentError, isDict, toolResult } from '@millrace/flow';
import type { ComponentContext, RunMoment, SubFlow, SubFlowOutput, ToolHandle } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { runSubFlow } from './run-sub-flow';

interface ToolNames {
  /** Letters, digits, `_` and `-`, at most 64 of them. */
  readonly name: string;
  readonly description: string;
}

/**
 * Returns a tool that runs a flow: one argument for each input of the flow; the result is the text of its outputs. `saved`
 * has the values of fields by vertex id; the arguments of a call replace them. A call that lacks an argument without a
 * saved value fails, and its error names the argument.
 */
export async function flowAsTool(
  context: ComponentContext,
  flow: SubFlow,
  { name, description }: ToolNames,
  saved: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
): Promise<ToolHandle> {
  const inputs = (await context.resources.flows.inputs(flow)).map((input, index, all) => ({
    ...input,
    // Models do not accept `~` in names; a single input needs no vertex id in its name.
    argument:
      all.length === 1
        ? input.field
        : `${input.vertexId}_${input.field}`.replace(/[^\w.-]/g, '-').slice(0, 64),
  }));
  return {
    kind: 'tool',
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(
        inputs.map(({ argument, displayName }) => [argument, { type: 'string', description: displayName }]),
      ),
      required: inputs.map(({ argument }) => argument),
    },
    mayAsk: () => context.resources.flows.asks(flow),
    async call(given: PythonObject, at?: RunMoment) {
      const callArguments = unwrapped(given);
      const tweaks: Record<string, Record<string, unknown>> = {};
      const missing: string[] = [];
      for (const { argument, vertexId, field } of inputs) {
        const value = callArguments[argument] ?? callArguments[`${vertexId}~${field}`] ?? null;
        if (value !== null) tweaks[vertexId] = { ...saved[vertexId], [field]: value };
        else if (hasValue(saved[vertexId]?.[field])) tweaks[vertexId] = { ...saved[vertexId] };
        else missing.push(argument);
      }
      if (missing.length > 0)
        throw new ComponentError(`The tool "${name}" needs the argument ${missing.join(', ')}.`);
      return outputTexts(
        await runSubFlow(context, flow, {
          tweaks: { ...saved, ...tweaks },
          call: argumentsDigest(callArguments),
          at,
        }),
      );
    },
  };
}

/** Langflow's tool takes the arguments as the members of one, and models repeat that form. */
function unwrapped(callArguments: PythonObject): PythonObject {
  const { flow_tweak_data: nested } = callArguments;
  return nested !== undefined && isDict(nested) ? { ...callArguments, ...nested } : callArguments;
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

async function outputTexts(outputs: readonly SubFlowOutput[]): Promise<string> {
  const values = outputs.flatMap((output) => Object.values(output.values));
  return (await Promise.all(values.map(toolResult))).join('\n\n');
}
