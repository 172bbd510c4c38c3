import { argumentsDigest, toolResult } from '@millrace/flow';
import type { ComponentContext, RunMoment, SubFlow, SubFlowOutput, ToolHandle } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { runSubFlow } from './run-sub-flow';

interface ToolNames {
  /** Letters, digits, `_` and `-`, at most 64 of them. */
  readonly name: string;
  readonly description: string;
}

/** Returns a tool that runs a flow: one argument for each input of the flow; the result is the text of its outputs. */
export async function flowAsTool(
  context: ComponentContext,
  flow: SubFlow,
  { name, description }: ToolNames,
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
    async call(callArguments: PythonObject, at?: RunMoment) {
      const tweaks = Object.fromEntries(
        inputs.flatMap(({ argument, vertexId, field }) => {
          const value = Object.hasOwn(callArguments, argument) ? callArguments[argument] : undefined;
          return value === undefined ? [] : [[vertexId, { [field]: value }]];
        }),
      );
      return outputTexts(
        await runSubFlow(context, flow, { tweaks, call: argumentsDigest(callArguments), at }),
      );
    },
  };
}

async function outputTexts(outputs: readonly SubFlowOutput[]): Promise<string> {
  const values = outputs.flatMap((output) => Object.values(output.values));
  return (await Promise.all(values.map(toolResult))).join('\n\n');
}
