import { defineComponent, message, model } from '@millrace/flow';
import { chosenModelKey } from './choice/chosen-model-key';
import { chosenChatModel } from './choice/choose-chat-model';
import { answerOf } from './calls/run-chat-model';

export default defineComponent({
  type: 'LLMChain',
  displayName: 'LLM Chain',
  description: 'Sends a prompt to a connected language model.',
  inputs: {
    llm: model({ displayName: 'Language Model', required: true }),
    prompt: message({ displayName: 'Prompt', required: true }),
  },
  outputs: {
    response: { types: ['Message'], displayName: 'Response', method: 'run_chain' },
    text: { types: ['Message'], displayName: 'Text', method: 'invoke_chain' },
  },
  deterministic: false,
  reusable: true,
  keyVariable: chosenModelKey,
  run: async ({ llm, prompt }, context) => {
    const chat = await chosenChatModel(llm, 'A model selection is required', context);
    const answer = await answerOf(chat, { input_value: prompt, system_message: '', stream: false }, context);
    return { response: answer, text: answer };
  },
});
