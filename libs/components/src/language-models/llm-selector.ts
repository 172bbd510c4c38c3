import {
  boolean,
  ComponentError,
  defineComponent,
  dropdown,
  handle,
  integer,
  isModelHandle,
  listOf,
  text,
} from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { codePointCount, Data, Message, repr } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { ChatModel } from '../integrations/models/chat-protocol';
import { completeChat } from './calls/chat-completion';
import { chatModelOf } from './choice/chat-model';
import { plainName, readModelSpecifications } from './model-specifications/model-specifications';
import type { ModelSpecifications } from './model-specifications/model-specifications';

const previewCharacters = 1000;
const instructions =
  'You choose the language model that fits a query best. Consider the difficulty of the query, its length, the ' +
  'capabilities and prices of the models, and the preference: quality, speed, cost or balanced. ' +
  'Answer with the index of one model and nothing else. When no model fits, answer 0.';

export default defineComponent({
  type: 'LLMSelectorComponent',
  aliases: ['LLMRouterComponent', 'LLMRouter'],
  displayName: 'LLM Selector',
  description: 'Sends a text to the language model that another model selects.',
  inputs: {
    models: listOf(handle({ displayName: 'Language Models', required: true, inputTypes: ['LanguageModel'] })),
    input_value: text({ displayName: 'Input', multiline: true, required: true }),
    judge_llm: handle({ displayName: 'Judge LLM', required: true, inputTypes: ['LanguageModel'] }),
    optimization: dropdown({
      displayName: 'Optimization',
      options: ['quality', 'speed', 'cost', 'balanced'],
      default: 'balanced',
    }),
    use_openrouter_specs: boolean({
      displayName: 'Use OpenRouter Specs',
      default: true,
      advanced: true,
    }),
    timeout: integer({ displayName: 'API Timeout', default: 10, advanced: true }),
    fallback_to_first: boolean({
      displayName: 'Fallback to First Model',
      default: true,
      advanced: true,
    }),
  },
  outputs: {
    output: { types: ['Message'], displayName: 'Output', method: 'route_to_model' },
    selected_model_info: {
      types: ['Data', 'JSON'],
      displayName: 'Selected Model Info',
      method: 'get_selected_model_info',
    },
    routing_decision: {
      types: ['Message'],
      displayName: 'Routing Decision',
      method: 'get_routing_decision',
    },
  },
  deterministic: false,
  reusable: true,
  run: async (inputs, context) => {
    if (!context.wants('output')) return unrouted();
    const { input_value: query, optimization, timeout } = inputs;
    const models = inputs.models.map(requireModel);
    const [first] = models;
    if (first === undefined || query === '' || inputs.judge_llm === null) {
      throw new ComponentError('Missing required inputs: models, input_value, or judge_llm');
    }
    context.log(`Starting model routing with ${models.length} available Langflow models.`);
    context.log(`Optimization preference: ${optimization}`);
    context.log(`Input length: ${codePointCount(query)} characters`);
    const specifications = await readModelSpecifications(
      inputs.use_openrouter_specs ? timeout * 1000 : null,
      context,
    );
    const words = query.split(/\s+/).filter((word) => word !== '').length;
    const tokens = Math.trunc(words * 1.3);
    const judge = requireModel(inputs.judge_llm);
    const choice = await chooseModel(
      { judge, models, query, tokens, optimization, specifications },
      context,
    ).catch((error: unknown) => {
      if (!(error instanceof ComponentError) || !inputs.fallback_to_first) throw error;
      return { failure: error.message };
    });
    const index = 'index' in choice ? choice.index : 0;
    const chosen = models[index] ?? first;
    const specification = specifications.of(chosen.model);
    const lines =
      'index' in choice
        ? [
            'Model Selection Decision:',
            `- Selected Model Index: ${index}`,
            `- Selected Langflow Model Name: ${chosen.model}`,
            `- Selected API Model ID (if resolved): ${String(specification['id'])}`,
            `- Optimization Preference: ${optimization}`,
            `- Input Query Length: ${query.length} characters (~${tokens} tokens)`,
            `- Number of Models Considered: ${models.length}`,
            `- Specifications Source: ${specifications.isEmpty ? 'Basic (Langflow model names only)' : 'OpenRouter API'}`,
          ]
        : [
            'Fallback Decision:',
            `- Error During Routing: ${choice.failure}`,
            `- Fallback Model Langflow Name: ${chosen.model}`,
            `- Fallback Model API ID (if resolved): ${String(specification['id'])}`,
            '- Reason: Automatic fallback enabled',
          ];
    const answer = await completeChat(chosen, [{ role: 'user', content: query }], context);
    context.status(`Successfully routed to: ${chosen.model}`);
    return {
      output: new Message({ text: answer.text }),
      selected_model_info: [
        new Data({ ...specification, langflow_model_name_used_for_lookup: chosen.model }),
      ],
      routing_decision: new Message({ text: lines.join('\n') }),
    };
  },
});

function requireModel(value: PythonValue): ChatModel {
  const chat = isModelHandle(value) ? chatModelOf(value) : null;
  if (chat === null) throw new ComponentError('The connected value is not a chat model that can be called.');
  return chat;
}

interface Choosing {
  readonly judge: ChatModel;
  readonly models: readonly ChatModel[];
  readonly query: string;
  readonly tokens: number;
  readonly optimization: string;
  readonly specifications: ModelSpecifications;
}

/** Asks the judge for the index of a model; an answer without the index of a model selects the first one. */
async function chooseModel(
  { judge, models, query, tokens, optimization, specifications }: Choosing,
  context: ComponentContext,
): Promise<{ readonly index: number }> {
  const listed = models.map(({ model }, index) => {
    const specification = specifications.of(model);
    if (!specifications.isEmpty && !specifications.has(model)) {
      logUnlisted(model, context);
      context.log(
        `No cached API data found for Langflow model '${model}' (mapped API ID: None). Returning basic info.`,
      );
    }
    const name = String(specification['name']);
    context.log(`Prepared specs for Langflow model ${index} ('${model}'): ${name}`);
    return { index, name: model, specifications: specification };
  });
  context.log(`Estimated input tokens: ${tokens}`);
  const preview = query.length > previewCharacters ? `${query.slice(0, previewCharacters)}...` : query;
  const content = [
    `Query: ${JSON.stringify(preview)}`,
    `Preference: ${optimization}`,
    `Estimated tokens of the query: ${tokens}`,
    `Models:\n${JSON.stringify(listed, null, 2)}`,
    'Answer with the index alone.',
  ].join('\n\n');
  context.log('Requesting model selection from judge LLM...');
  const { text: answer } = await completeChat(
    judge,
    [
      { role: 'system', content: instructions },
      { role: 'user', content },
    ],
    context,
  );
  const index = indexIn(answer.trim(), models.length, context);
  const model = models[index]?.model ?? '';
  if (!specifications.has(model)) logUnlisted(model, context);
  const id = String(specifications.of(model)['id']);
  context.log(
    `DECISION by Judge LLM: Selected model index ${index} -> Langflow Name: '${model}', API ID: '${id}'`,
  );
  return { index };
}

function logUnlisted(model: string, context: ComponentContext): void {
  const variants = repr([...new Set([model, plainName(model)])]);
  context.log(
    `Could not map Langflow model name '${model}' (tried variants: ${variants}) to an OpenRouter API ID.`,
  );
}

/** Returns the index that a judge answers with; that of the first model for another answer. */
function indexIn(answer: string, count: number, context: ComponentContext): number {
  const digits = answer.replaceAll(/\D/g, '');
  if (digits === '') {
    context.log(`Judge LLM response was non-numeric: '${answer}'. Defaulting to index 0.`, {
      name: 'warning',
    });
    return 0;
  }
  const index = Number(digits);
  if (index < count) {
    context.log(`Judge LLM selected index: ${index}`);
    return index;
  }
  const range = `0-${count - 1}`;
  context.log(`Judge LLM selected index ${digits} is out of bounds (${range}). Defaulting to index 0.`, {
    name: 'warning',
  });
  return 0;
}

/** Only the output routes, as in Langflow: without it, the others say that there is no decision. */
function unrouted() {
  return {
    selected_model_info: [new Data({ info: 'No model selected yet - run the router first.' })],
    routing_decision: new Message({ text: 'No routing decision made yet - run the router first.' }),
  };
}
