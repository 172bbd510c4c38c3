import { boolean, defineComponent, mapped, Message, parsePromptTemplate, prompt, text } from '@millrace/flow';
import type { PromptTemplate } from '@millrace/flow';

export default defineComponent({
  type: 'Prompt',
  aliases: ['Prompt Template', 'PromptComponent', 'PromptTemplate'],
  displayName: 'Prompt Template',
  description: 'Fills the gaps of a template: each {name} is an input of its own.',
  inputs: {
    template: mapped(prompt({ displayName: 'Template' }), takenApart),
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

/** A template in both readings; which one counts is another setting. */
interface Template {
  readonly braces: PromptTemplate;
  readonly mustache: PromptTemplate;
}

function takenApart(template: string): Template {
  return {
    braces: parsePromptTemplate(template),
    mustache: parsePromptTemplate(template, { mustache: true }),
  };
}
