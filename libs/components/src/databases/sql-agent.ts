import { boolean, defineComponent, handle, integer, listOf, message, model, text } from '@millrace/flow';
import { agentMessage } from '../agents/messages/agent-message';
import { agentTools } from '../agents/steps/agent-tools';
import { conversation } from '../agents/messages/conversation';
import { chosenChatModel } from '../language-models/choice/choose-chat-model';
import { chosenModelKey } from '../language-models/choice/chosen-model-key';
import { dialectOf } from '../integrations/sql/describe-tables';
import { sqlTools } from '../integrations/sql/sql-tools';

const instructions = (dialect: string): string =>
  [
    `You answer questions about a ${dialect} database with the tools you have.`,
    'Look at its tables first, then describe those that matter, then query them; do not guess names.',
    'Select only the columns that the question needs, and at most 10 rows unless it asks for more.',
    'Do not change the database. If the question is not about the database, say that you do not know.',
  ].join('\n');

export default defineComponent({
  type: 'SQLAgent',
  displayName: 'SQLAgent',
  description: 'Answers questions about a database with a language model that writes the queries.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    database_uri: text({ displayName: 'Database URI', required: true }),
    extra_tools: listOf(handle({ displayName: 'Extra Tools', inputTypes: ['Tool'] })),
    input_value: message({ displayName: 'Input', tool: true }),
    max_iterations: integer({ displayName: 'Max Iterations', default: 15, advanced: true }),
    handle_parsing_errors: boolean({ displayName: 'Handle Parse Errors', default: true, advanced: true }),
  },
  outputs: { response: { types: ['Message'], displayName: 'Response', method: 'message_response' } },
  deterministic: false,
  approvesTools: true,
  keyVariable: chosenModelKey,
  approximates:
    "The model calls tools through its provider's tool protocol, and has no tool that checks a query.",
  run: async (inputs, context) => {
    const chat = await chosenChatModel(inputs.model, 'A model selection is required', context);
    const { database_uri: url, input_value: question } = inputs;
    return {
      response: await agentMessage(
        {
          chat,
          messages: conversation(instructions(dialectOf(url)), [], question?.text ?? ''),
          tools: agentTools([...sqlTools(url, context), ...inputs.extra_tools], [], context),
          maximumModelCalls: Math.max(1, inputs.max_iterations),
          toleratesToolErrors: inputs.handle_parsing_errors,
          streams: context.feeds('ChatOutput'),
        },
        context,
      ),
    };
  },
});
