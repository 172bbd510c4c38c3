import { boolean, defineComponent, mapped, prompt, text } from '@millrace/flow';
import { Message, parsePromptTemplate } from '@millrace/python-text';
import type { PromptTemplate } from '@millrace/python-text';

export default defineComponent({
  type: 'Prompt',
  aliases: ['Prompt Template', 'PromptComponent', 'PromptTemplate'],
  displayName: 'Prompt Template',
  description: 'Fills in a template, with one input for each {name}.',
  inputs: {
    template: mapped(prompt({ displayName: 'Template' }), parseTemplate),
    use_double_brackets: boolean({ displayName: 'Use Double Brackets', advanced: true }),
    tool_placeholder: text({ displayName: 'Tool Placeholder', advanced: true }),
  },
  outputs: { prompt: { types: ['Message'], displayName: 'Prompt' } },
  deterministic: true,
  run: ({ template, use_double_brackets }, context) => {
    const filled = (use_double_brackets ? template.mustache : template.braces).render(context.fields);
    context.status(filled);
    return { prompt: new Message({ text: filled }) };
  },
});

/** A template, parsed in both syntaxes; another setting selects which one applies. */
interface Template {
  readonly braces: PromptTemplate;
  readonly mustache: PromptTemplate;
}

function parseTemplate(template: string): Template {
  return {
    braces: parsePromptTemplate(template),
    mustache: parsePromptTemplate(template, { mustache: true }),
  };
}
