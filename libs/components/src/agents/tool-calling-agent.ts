import {
  boolean,
  data,
  defineComponent,
  handle,
  integer,
  listOf,
  message,
  model,
  secret,
  text,
} from '@millrace/flow';
import { chosenChatModel } from '../language-models/choice/choose-chat-model';
import { chosenModelKey } from '../language-models/choice/chosen-model-key';
import { AttachmentBudget } from '../language-models/calls/attachment-budget';
import { messageAttachments } from '../language-models/calls/attachments';
import { agentMessage } from './messages/agent-message';
import { agentTools } from './steps/agent-tools';
import { conversation, connectedHistory } from './messages/conversation';
import { defaultSystemPrompt, fillSystemPrompt } from './messages/system-prompt';

export default defineComponent({
  type: 'ToolCallingAgent',
  displayName: 'Tool Calling Agent',
  description: 'Answers with a language model that can call tools; its only memory is a connected history.',
  inputs: {
    model: model({ displayName: 'Language Model', required: true }),
    api_key: secret({ displayName: 'API Key', advanced: true }),
    system_prompt: text({ displayName: 'System Prompt', default: defaultSystemPrompt }),
    tools: listOf(handle({ displayName: 'Tools', inputTypes: ['Tool'] })),
    input_value: message({ displayName: 'Input', tool: true }),
    chat_history: listOf(data({ displayName: 'Chat Memory', advanced: true })),
    max_iterations: integer({ displayName: 'Max Iterations', default: 15, advanced: true }),
    handle_parsing_errors: boolean({ displayName: 'Handle Tool Errors', default: true, advanced: true }),
  },
  outputs: { response: { types: ['Message'], displayName: 'Response', method: 'Tool-Calling-Agent' } },
  deterministic: false,
  approvesTools: true,
  readsSession: true,
  keyVariable: chosenModelKey,
  run: async (inputs, context) => {
    const chat = await chosenChatModel(inputs.model, 'A model selection is required', context);
    const prompt = fillSystemPrompt(inputs.system_prompt, chat.model, new Date());
    const budget = new AttachmentBudget();
    return {
      response: await agentMessage(
        {
          chat,
          messages: conversation(
            prompt,
            await connectedHistory(inputs.chat_history, context, budget),
            inputs.input_value?.text ?? '',
            await messageAttachments(inputs.input_value, context, budget),
          ),
          tools: agentTools(inputs.tools, [], context),
          maximumModelCalls: Math.max(1, inputs.max_iterations),
          toleratesToolErrors: inputs.handle_parsing_errors,
          streams: context.feeds('ChatOutput'),
        },
        context,
        { showsTexts: true },
      ),
    };
  },
});
