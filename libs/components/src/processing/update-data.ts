import { boolean, data, defineComponent, integer, listOf, text } from '@millrace/flow';
import { checkCells, Data } from '@millrace/python-text';
import { checkTextKey } from './fields/check-text-key';
import { numberedFields } from './fields/numbered-fields';

export default defineComponent({
  type: 'UpdateData',
  displayName: 'Update Data',
  description: 'Sets fields of one data item or of each item of a list.',
  inputs: {
    old_data: listOf(
      data({
        displayName: 'Data',
        required: true,
        refusal: () => 'old_data is not a Data object or list of Data objects.',
      }),
    ),
    number_of_fields: integer({ displayName: 'Number of Fields', default: 0 }),
    text_key: text({ displayName: 'Text Key', advanced: true }),
    text_key_validator: boolean({ displayName: 'Text Key Validator', advanced: true }),
  },
  outputs: { data: { types: ['Data', 'JSON'], displayName: 'Data' } },
  deterministic: true,
  run: ({ old_data, text_key }, context) => {
    const fields = numberedFields(context.fields);
    checkCells(Object.keys(fields).length, old_data.length);
    const updated = old_data.map((item) => {
      const { textKey, defaultValue } = item;
      return new Data(
        { ...item.data, ...fields },
        { textKey: text_key === '' ? textKey : text_key, defaultValue },
      );
    });
    // Whatever `text_key_validator` says.
    if (text_key !== '') for (const item of updated) checkTextKey(item, text_key, '');
    context.status(updated);
    return { data: updated };
  },
});
