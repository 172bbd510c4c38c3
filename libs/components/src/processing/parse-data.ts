import { data, dataToTexts, defineComponent, listOf, text } from '@millrace/flow';
import { Data, Message } from '@millrace/python-text';

export default defineComponent({
  type: 'ParseData',
  displayName: 'Data to Message',
  description: 'Formats data as text with a template, one line for each item.',
  inputs: {
    data: listOf(data({ displayName: 'JSON', required: true })),
    template: text({ displayName: 'Template', multiline: true, required: true, default: '{text}' }),
    sep: text({ displayName: 'Separator', plain: true, default: '\n', advanced: true }),
  },
  outputs: {
    text: { types: ['Message'], displayName: 'Message' },
    data_list: { types: ['Data', 'JSON'], displayName: 'Data List' },
  },
  deterministic: true,
  run: (inputs, context) => {
    const texts = dataToTexts(inputs.template, inputs.data);
    const joined = texts.join(inputs.sep);
    const data_list = inputs.data.map(
      ({ data: values, textKey, defaultValue }, index) =>
        new Data({ ...values, [textKey]: texts[index] ?? '' }, { textKey, defaultValue }),
    );
    if (context.wants('text')) context.status(joined, 'text');
    if (context.wants('data_list')) context.status(data_list, 'data_list');
    return { text: new Message({ text: joined }), data_list };
  },
});
