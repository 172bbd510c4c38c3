import {
  boolean,
  ComponentError,
  defineComponent,
  message,
  model,
  secret,
  table,
  text,
} from '@millrace/flow';
import type { ComponentOutputs } from '@millrace/flow';
import { Message, parseFormat, PythonFormatError } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import { completeChat } from './calls/chat-completion';
import { chosenChatModel } from './choice/choose-chat-model';
import { chosenModelKey } from './choice/chosen-model-key';

interface Route {
  readonly name: string;
  readonly description: string;
  /** The text that this route outputs in place of the input; empty for the input itself. */
  readonly value: string;
}

const elseOutput = 'default_result';
const output = { types: ['Message'], method: 'process_case' } as const;

export default defineComponent({
  type: 'SmartRouter',
  displayName: 'Smart Router',
  description: 'Sends a text to the route that a language model selects.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    input_text: text({ displayName: 'Input', required: true }),
    routes: table({
      displayName: 'Routes',
      required: true,
      default: [
        { route_category: 'Positive', route_description: 'Positive feedback', output_value: '' },
        { route_category: 'Negative', route_description: 'Negative feedback', output_value: '' },
      ],
    }),
    message: message({ displayName: 'Override Output', advanced: true }),
    enable_else_output: boolean({ displayName: 'Include Else Output', advanced: true }),
    custom_prompt: text({ displayName: 'Additional Instructions', multiline: true, advanced: true }),
  },
  // A node saves one output for each of its routes; these are the outputs of the default routes.
  outputs: {
    category_1_result: { ...output, displayName: 'Positive' },
    category_2_result: { ...output, displayName: 'Negative' },
    [elseOutput]: { types: ['Message'], displayName: 'Else', method: 'default_response', tool: false },
  },
  deterministic: false,
  excludesBranches: true,
  reusable: true,
  keyVariable: chosenModelKey,
  routes: true,
  run: async (inputs, context) => {
    const chat = await chosenChatModel(inputs.model, 'A model selection is required', context);
    const routes = inputs.routes.map(readRoute);
    const content = question(inputs.input_text, routes, inputs.custom_prompt);
    const { text: answer } = await completeChat(chat, [{ role: 'user', content }], context);
    const chosen = routes.findIndex(({ name }) => name !== '' && sameName(name, answer));
    const taken = chosen === -1 ? elseOutput : outputOf(chosen);
    for (const [index] of routes.entries()) if (index !== chosen) context.stop(outputOf(index));
    const nothing = chosen === -1 && !inputs.enable_else_output;
    if (chosen !== -1 && inputs.enable_else_output) context.stop(elseOutput);
    const elseStatus = `Routed to Else (no match) - using ${inputs.message === null ? 'input as default' : 'override output'}`;
    const status = chosen === -1 ? elseStatus : `Categorized as ${routes[chosen]?.name ?? ''}`;
    context.status(nothing ? 'No match found and Else output is disabled' : status);
    // What an edge takes from an output that is switched off is an empty text.
    if (!inputs.enable_else_output) context.status('Else output is disabled', elseOutput);
    const off = inputs.enable_else_output ? {} : { [elseOutput]: new Message({ text: '' }) };
    if (nothing) return off;
    return {
      ...off,
      [taken]: inputs.message ?? new Message({ text: routes[chosen]?.value || inputs.input_text }),
    } satisfies ComponentOutputs;
  },
});

function readRoute(row: PythonObject): Route {
  const { route_category: name = '', route_description: description = '', output_value: value = '' } = row;
  const own = typeof value === 'string' && value.trim().toLowerCase() !== 'none' ? value : '';
  return {
    name: typeof name === 'string' ? name.trim() : '',
    description: typeof description === 'string' ? description : '',
    value: own.trim() === '' ? '' : own,
  };
}

function outputOf(index: number): string {
  return `category_${index + 1}_result`;
}

function sameName(name: string, answer: string): boolean {
  const given = answer.trim().toLowerCase();
  return name.toLowerCase() === given || bare(name) === bare(given);
}

/** Models write a name in quotes, in bold or as a sentence. */
function bare(name: string): string {
  return name
    .toLowerCase()
    .replace(/^[\s"'`*_“”„‘’«»]+|(?<![\s"'`*_“”„‘’«».,:;!])[\s"'`*_“”„‘’«».,:;!]+$/g, '');
}

function question(input: string, routes: readonly Route[], instructions: string): string {
  const listed = routes.map(({ name, description }) =>
    description === '' ? `- ${name}` : `- ${name}: ${description}`,
  );
  return [
    'Choose the one category that fits the text.',
    `Text:\n${input}`,
    `Categories:\n${listed.join('\n')}`,
    ...(instructions.trim() === '' ? [] : [filledIn(instructions, input, routes)]),
    'Answer with the name of the category and nothing else. Answer NONE when no category fits.',
  ].join('\n\n');
}

/**
 * Fills in an author's instructions, in which `{input_text}` and `{routes}` stand for the text and the names of the
 * routes.
 */
function filledIn(instructions: string, input: string, routes: readonly Route[]): string {
  const values = new Map([
    ['input_text', input],
    ['routes', routes.map(({ name }) => `"${name}"`).join(', ')],
  ]);
  try {
    return parseFormat(instructions).format((name) => {
      const value = values.get(name);
      if (value !== undefined) return value;
      throw new ComponentError(`The instructions name "${name}", which is neither input_text nor routes.`);
    });
  } catch (error) {
    if (error instanceof PythonFormatError) throw new ComponentError(error.message, error);
    throw error;
  }
}
