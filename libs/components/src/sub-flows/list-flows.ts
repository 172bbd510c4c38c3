import { defineComponent } from '@millrace/flow';
import { Data } from '@millrace/python-text';

export default defineComponent({
  type: 'ListFlows',
  displayName: 'List Flows',
  description: 'Lists the flows of the same user: id, name and description.',
  inputs: {},
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Flows', method: 'build' } },
  deterministic: false,
  async run(_inputs, { resources }) {
    const flows = await resources.flows.list();
    return { data: flows.map(({ id, name, description }) => new Data({ id, name, description })) };
  },
});
