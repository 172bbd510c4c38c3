import { dataFrame, defineComponent, mapped, text } from '@millrace/flow';
import { Message, parseFormat } from '@millrace/python-text';
import { formatRows } from './format-items';

const wholeText = '{text}';
const lineBreak = '\n';

export default defineComponent({
  type: 'ParseDataFrame',
  displayName: 'Parse DataFrame',
  description: 'Formats a table as text with a template, one line for each row.',
  inputs: {
    df: dataFrame({ displayName: 'DataFrame' }),
    template: mapped(text({ displayName: 'Template', multiline: true, default: wholeText }), (template) =>
      parseFormat(template || wholeText),
    ),
    sep: text({ displayName: 'Separator', plain: true, default: lineBreak, advanced: true }),
  },
  outputs: { text: { types: ['Message'], displayName: 'Text' } },
  deterministic: true,
  run: ({ df, template, sep }, context) => {
    const joined = formatRows(template, df).join(sep || lineBreak);
    context.status(joined);
    return { text: new Message({ text: joined }) };
  },
});
