import { ComponentError, defineComponent, dropdown } from '@millrace/flow';
import { dataOfOutput } from './calls/data-of-output';
import { keyedTweaks } from './calls/keyed-tweaks';
import { runSubFlow } from './calls/run-sub-flow';

export default defineComponent({
  type: 'SubFlow',
  displayName: 'Sub Flow',
  description: 'Runs another flow of the same user; an earlier form of Run Flow.',
  inputs: { flow_name: dropdown({ displayName: 'Flow Name', options: [] }) },
  outputs: {
    flow_outputs: { types: ['Data', 'JSON'], displayName: 'Flow Outputs', method: 'generate_results' },
  },
  deterministic: false,
  storesMessages: true,
  flowFields: ['flow_name'],
  async run({ flow_name }, context) {
    if (flow_name === '') throw new ComponentError('Flow name is required');
    const flow = await context.resources.flows.find(flow_name);
    if (flow === null) throw new ComponentError('Flow not found');
    const outputs = await runSubFlow(context, flow, { tweaks: keyedTweaks(context.fields, '|') });
    const values = outputs.flatMap((output) => Object.values(output.values));
    return { flow_outputs: values.map(dataOfOutput) };
  },
});
