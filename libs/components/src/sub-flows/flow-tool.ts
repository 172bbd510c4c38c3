import { ComponentError, boolean, defineComponent, dropdown, namedTools, text } from '@millrace/flow';
import { flowAsTool } from './calls/flow-as-tool';

export default defineComponent({
  type: 'FlowTool',
  displayName: 'Flow as Tool',
  description: 'Provides a flow of the same user as a tool for agents; an earlier form of Run Flow.',
  inputs: {
    flow_name: dropdown({ displayName: 'Flow Name', options: [] }),
    tool_name: text({ displayName: 'Name', plain: true }),
    tool_description: text({ displayName: 'Description', plain: true }),
    return_direct: boolean({
      displayName: 'Return Direct',
      description: 'Has no effect: the agent reads the result of the tool.',
      advanced: true,
    }),
  },
  outputs: { api_build_tool: { types: ['Tool'], displayName: 'Tool', tool: false } },
  deterministic: false,
  storesMessages: true,
  flowFields: ['flow_name'],
  async run({ flow_name, tool_name, tool_description }, context) {
    if (flow_name === '') throw new ComponentError('Flow name is required');
    const flow = await context.resources.flows.find(flow_name);
    if (flow === null) throw new ComponentError('Flow not found.');
    const [named] = namedTools([tool_name || `${flow.name}_tool`], []);
    const description = tool_description.trim() || flow.description;
    return { api_build_tool: await flowAsTool(context, flow, { name: named?.name ?? '', description }) };
  },
});
