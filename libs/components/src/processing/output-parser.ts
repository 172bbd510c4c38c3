import { ComponentError, defineComponent, dropdown } from '@millrace/flow';
import { Message } from '@millrace/python-text';

const commaSeparated =
  'Your response should be a list of comma separated values, eg: `foo, bar, baz` or `foo,bar,baz`';

export default defineComponent({
  type: 'OutputParser',
  displayName: 'Output Parser',
  description: 'Provides instructions for a language model on the format of its answer.',
  inputs: { parser_type: dropdown({ displayName: 'Parser', options: ['CSV'], default: 'CSV' }) },
  outputs: { format_instructions: { types: ['Message'], displayName: 'Format Instructions' } },
  deterministic: true,
  run: ({ parser_type }) => {
    if (parser_type !== 'CSV') throw new ComponentError('Unsupported or missing parser');
    return { format_instructions: new Message({ text: commaSeparated }) };
  },
});
