import { boolean, ComponentError, defineComponent, mapped, prompt, text, typeErrorOf } from '@millrace/flow';
import { Message, parsePromptTemplate, PythonFormatError } from '@millrace/python-text';
import type { PromptTemplate } from '@millrace/python-text';

export default defineComponent({
  type: 'Prompt',
  aliases: ['Prompt Template', 'PromptComponent', 'PromptTemplate'],
  displayName: 'Prompt Template',
  description: 'Fills in a template, with one input for each {name}.',
  inputs: {
    template: mapped(prompt({ displayName: 'Template' }), parseTemplate),
    use_double_brackets: boolean({ displayName: 'Use Double Brackets', advanced: true }),
    tool_placeholder: text({ displayName: 'Tool Placeholder', advanced: true, tool: true }),
  },
  outputs: { prompt: { types: ['Message'], displayName: 'Prompt', method: 'build_prompt' } },
  deterministic: true,
  run: ({ template, use_double_brackets }, context) => {
    if (template.isEmpty) throw withoutTemplate(use_double_brackets);
    const filled = use_double_brackets
      ? template.mustache.render(context.fields)
      : withHint(() => template.braces.render(context.fields));
    context.status(filled);
    return { prompt: new Message({ text: filled }) };
  },
});

/** Langflow reads an empty template as none. */
function withoutTemplate(isMustache: boolean): ComponentError {
  return typeErrorOf(
    'build_prompt',
    isMustache ? "expected string or bytes-like object, got 'NoneType'" : 'expected str, got NoneType',
  );
}

/** Braces of JSON look like a placeholder, whose name alone explains nothing. */
function withHint(render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof PythonFormatError) || error.kind !== 'KeyError' || /^'\w*'$/.test(error.message))
      throw error;
    throw new ComponentError(
      `${error.message}: the template has this placeholder, and there is no variable of its name. Write {{ and }} for braces ` +
        'that are text.',
      error,
    );
  }
}

/** A template, parsed in both syntaxes; another setting selects which one applies. */
interface Template {
  readonly isEmpty: boolean;
  readonly braces: PromptTemplate;
  readonly mustache: PromptTemplate;
}

function parseTemplate(template: string): Template {
  return {
    isEmpty: template === '',
    braces: parsePromptTemplate(template),
    mustache: parsePromptTemplate(template, { mustache: true }),
  };
}
