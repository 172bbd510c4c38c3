import { boolean, defineComponent, integer, text } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import { checkTextKey } from './fields/check-text-key';
import { numberedFields } from './fields/numbered-fields';

export default defineComponent({
  type: 'CreateData',
  displayName: 'Create Data',
  description: 'Builds data from up to fifteen fields.',
  inputs: {
    number_of_fields: integer({ displayName: 'Number of Fields', default: 1 }),
    text_key: text({ displayName: 'Text Key', advanced: true }),
    text_key_validator: boolean({ displayName: 'Text Key Validator', advanced: true }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  deterministic: true,
  run: ({ text_key, text_key_validator }, context) => {
    const created = new Data(numberedFields(context.fields), text_key === '' ? {} : { textKey: text_key });
    context.status(created);
    if (text_key_validator) checkTextKey(created, text_key, "'");
    return { data: created };
  },
});
