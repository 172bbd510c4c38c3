import { defineComponent, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';

export default defineComponent({
  type: 'CombineText',
  displayName: 'Combine Text',
  description: 'Joins two texts.',
  inputs: {
    text1: text({ displayName: 'First Text' }),
    text2: text({ displayName: 'Second Text' }),
    delimiter: text({ displayName: 'Delimiter', default: ' ' }),
  },
  outputs: { combined_text: { types: ['Message'], displayName: 'Combined Text' } },
  deterministic: true,
  run: ({ text1, text2, delimiter }, context) => {
    const combined = text1 + delimiter + text2;
    context.status(combined);
    return { combined_text: new Message({ text: combined }) };
  },
});
