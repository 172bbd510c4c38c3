import {
  ComponentError,
  boolean,
  defineComponent,
  dropdown,
  namedTools,
  savedTools,
  text,
  toMessage,
} from '@millrace/flow';
import type { ComponentContext, SubFlow, SubFlowOutput, ToolHandle } from '@millrace/flow';
import { DataFrame } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { dataOfOutput } from './calls/data-of-output';
import { flowAsTool } from './calls/flow-as-tool';
import { keyedFields, keyedTweaks } from './calls/keyed-tweaks';
import { runSubFlow } from './calls/run-sub-flow';

const separator = '~';

export default defineComponent({
  type: 'RunFlow',
  displayName: 'Run Flow',
  description: 'Runs another flow of the same user as a part of this run.',
  inputs: {
    flow_name_selected: dropdown({ displayName: 'Flow Name', options: [] }),
    flow_id_selected: text({ displayName: 'Flow ID', plain: true }),
    session_id: text({ displayName: 'Session ID', advanced: true }),
    cache_flow: boolean({
      displayName: 'Cache Flow',
      description: 'Has no effect: plans are always cached.',
      advanced: true,
    }),
  },
  outputs: {
    flow_outputs_message: { types: ['Message'], displayName: 'Flow Message Output', tool: false },
    flow_outputs_data: { types: ['Data', 'JSON'], displayName: 'Flow Data Output', tool: false },
    flow_outputs_dataframe: {
      types: ['DataFrame', 'Table'],
      displayName: 'Flow Dataframe Output',
      tool: false,
    },
    component_as_tool: { types: ['Tool'], displayName: 'Toolset', tool: false },
  },
  deterministic: false,
  storesMessages: true,
  flowFields: ['flow_id_selected', 'flow_name_selected'],
  async run({ flow_name_selected, flow_id_selected, session_id }, context) {
    const flow = await selectedFlow(context, flow_name_selected, flow_id_selected);
    if (context.wants('component_as_tool')) return { component_as_tool: await toolsOf(context, flow) };
    const tweaks = keyedTweaks(context.fields, separator);
    return outputsOf(await runSubFlow(context, flow, { tweaks, sessionId: session_id }), flow, context);
  },
});

/** Finds the flow by its id, which stays when a flow is renamed, else by its name. */
async function selectedFlow({ resources }: ComponentContext, name: string, id: string): Promise<SubFlow> {
  if (name === '' && id === '') throw new ComponentError('Flow name or id is required');
  const byId = id === '' ? null : await resources.flows.find(id);
  const flow = byId ?? (name === '' ? null : await resources.flows.find(name));
  if (flow === null) throw new ComponentError('Flow not found');
  return flow;
}

async function toolsOf(context: ComponentContext, flow: SubFlow): Promise<readonly ToolHandle[]> {
  const rows = savedTools(context.fields['tools_metadata'] ?? null);
  const about = `Tool designed to execute the flow '${flow.name}'. Flow details: ${flow.description}.`;
  return Promise.all(
    namedTools([`${flow.name}_tool`], rows).map(({ name, row }) =>
      flowAsTool(context, flow, { name, description: row?.description || about }, savedFields(context)),
    ),
  );
}

/** Returns the values of the node's fields of the flow, by vertex id; empty ones were never set. */
function savedFields({ fields }: ComponentContext): ReturnType<typeof keyedFields> {
  const set = Object.entries(fields).filter(([, value]) => value !== null && value !== '');
  return keyedFields(Object.fromEntries(set), separator);
}

/**
 * Returns the values of all outputs as `<vertex id>~<output>`, and the first one under the names of earlier versions.
 */
function outputsOf(
  outputs: readonly SubFlowOutput[],
  flow: SubFlow,
  context: ComponentContext,
): PythonObject {
  const all = outputs.flatMap(({ vertexId, values }) =>
    Object.entries(values).map(([name, value]) => [`${vertexId}${separator}${name}`, value] as const),
  );
  const first = all[0]?.[1];
  if (first === undefined) throw new ComponentError(`The flow "${flow.name}" gave no output.`);
  return {
    ...Object.fromEntries(all),
    ...(context.wants('flow_outputs_message') && { flow_outputs_message: toMessage(first) }),
    ...(context.wants('flow_outputs_data') && { flow_outputs_data: dataOfOutput(first) }),
    ...(context.wants('flow_outputs_dataframe') && {
      flow_outputs_dataframe: first instanceof DataFrame ? first : new DataFrame([dataOfOutput(first).data]),
    }),
  };
}
