import {
  boolean,
  defineComponent,
  handle,
  integer,
  listOf,
  message,
  model,
  secret,
  table,
  text,
} from '@millrace/flow';
import type { Component, ComponentContext } from '@millrace/flow';
import { chosenChatModel } from '../language-models/choice/choose-chat-model';
import { chosenModelKey } from '../language-models/choice/chosen-model-key';
import { AttachmentBudget } from '../language-models/calls/attachment-budget';
import { messageAttachments } from '../language-models/calls/attachments';
import calculator from '../utilities/calculator';
import currentDate from '../utilities/current-date';
import { agentMessage } from './messages/agent-message';
import { agentTools } from './steps/agent-tools';
import { conversation, sessionHistory } from './messages/conversation';
import { defaultFormatInstructions, structuredResponse } from './messages/structured-response';
import { defaultSystemPrompt, fillSystemPrompt } from './messages/system-prompt';

export default defineComponent({
  type: 'Agent',
  displayName: 'Agent',
  description: 'Answers with a language model that can call the connected tools.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    system_prompt: text({
      displayName: 'Agent Instructions',
      multiline: true,
      default: defaultSystemPrompt,
    }),
    tools: listOf(handle({ displayName: 'Tools', inputTypes: ['Tool'] })),
    input_value: message({ displayName: 'Input', tool: true }),
    context_id: text({ displayName: 'Context ID', advanced: true }),
    n_messages: integer({ displayName: 'Number of Chat History Messages', default: 100, advanced: true }),
    max_tokens: integer({ displayName: 'Max Tokens', advanced: true }),
    max_iterations: integer({ displayName: 'Max Iterations', default: 15, advanced: true }),
    handle_parsing_errors: boolean({ displayName: 'Handle Tool Errors', default: true, advanced: true }),
    format_instructions: text({
      displayName: 'Output Format Instructions',
      multiline: true,
      default: defaultFormatInstructions,
      advanced: true,
    }),
    output_schema: table({ displayName: 'Output Schema', advanced: true }),
    stream: boolean({ displayName: 'Stream', default: true, advanced: true }),
    add_current_date_tool: boolean({ displayName: 'Current Date', default: true, advanced: true }),
    add_calculator_tool: boolean({ displayName: 'Calculator', default: true, advanced: true }),
  },
  outputs: {
    response: { types: ['Message'], displayName: 'Response', method: 'Call_Agent_message_response' },
    structured_response: {
      types: ['Data', 'JSON'],
      displayName: 'Structured Response',
      method: 'Call_Agent_json_response',
    },
  },
  deterministic: false,
  approvesTools: true,
  readsSession: true,
  keyVariable: chosenModelKey,
  run: async (inputs, context) => {
    const chat = await chosenChatModel(
      inputs.model,
      'No language model selected. Please choose a model to proceed.',
      context,
    );
    const budget = new AttachmentBudget();
    const history = await sessionHistory(
      inputs.input_value,
      { count: inputs.n_messages, contextId: inputs.context_id, budget },
      context,
    );
    const prompt = fillSystemPrompt(inputs.system_prompt, chat.model, new Date());
    const attachments = await messageAttachments(inputs.input_value, context, budget);
    const buildMessages = (systemPrompt: string) =>
      conversation(systemPrompt, history, inputs.input_value?.text ?? '', attachments);
    const task = {
      chat,
      tools: agentTools(inputs.tools, builtInComponents(inputs, context), context),
      maximumModelCalls: Math.max(1, inputs.max_iterations),
      toleratesToolErrors: inputs.handle_parsing_errors,
    };
    return {
      ...(context.wants('response') && {
        response: await agentMessage(
          { ...task, messages: buildMessages(prompt), streams: inputs.stream && context.feeds('ChatOutput') },
          context,
        ),
      }),
      ...(context.wants('structured_response') && {
        structured_response: await structuredResponse(
          task,
          (instructions) => buildMessages([prompt, instructions].filter((part) => part !== '').join('\n\n')),
          {
            instructions: inputs.format_instructions,
            rows: inputs.output_schema,
            input: inputs.input_value?.text ?? '',
          },
          context,
        ),
      }),
    };
  },
});

/** Nodes that were saved before the calculator option existed get no calculator. */
function builtInComponents(
  inputs: { readonly add_current_date_tool: boolean; readonly add_calculator_tool: boolean },
  { fields }: ComponentContext,
): readonly Component[] {
  return [
    ...(inputs.add_current_date_tool ? [currentDate] : []),
    ...(inputs.add_calculator_tool && 'add_calculator_tool' in fields ? [calculator] : []),
  ];
}
