import { randomUUID } from 'node:crypto';
import { defineComponent, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';

export default defineComponent({
  type: 'IDGenerator',
  displayName: 'ID Generator',
  description: 'Returns a saved identifier, or a new random one in every run.',
  inputs: { unique_id: text({ displayName: 'Value', tool: true }) },
  outputs: { id: { types: ['Message'], displayName: 'ID', method: 'generate_id' } },
  deterministic: false,
  run: ({ unique_id }, context) => {
    const id = unique_id === '' ? randomUUID() : unique_id;
    context.status(`Generated ID: ${id}`);
    return { id: new Message({ text: id }) };
  },
});
