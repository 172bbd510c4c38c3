import { defineComponent, handle, model, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { connectedMemory } from '../memory/messages/chat-memory';
import type { ChatMessage } from '../integrations/models/chat-message';
import { completeChat } from './calls/chat-completion';
import { chosenChatModel } from './choice/choose-chat-model';
import { chosenModelKey } from './choice/chosen-model-key';

const instructions =
  'You have a friendly conversation with a human. Answer with specific details from the conversation. ' +
  'When you do not know an answer, say so.';

export default defineComponent({
  type: 'ConversationChain',
  displayName: 'ConversationChain',
  description: 'Continues a conversation from a connected memory with a language model.',
  inputs: {
    input_value: text({ displayName: 'Input', multiline: true, required: true }),
    llm: model({ displayName: 'Language Model', required: true }),
    memory: handle({ displayName: 'Memory', inputTypes: ['BaseChatMemory', 'Memory'] }),
  },
  outputs: { text: { types: ['Message'], displayName: 'Text', method: 'invoke_chain' } },
  deterministic: false,
  keyVariable: chosenModelKey,
  run: async ({ input_value, llm, memory }, context) => {
    const chat = await chosenChatModel(llm, 'A model selection is required', context);
    const { sessionId } = context.run;
    const stored = connectedMemory(memory);
    const earlier = (await stored?.read(sessionId, context)) ?? [];
    const messages: readonly ChatMessage[] = [
      { role: 'system', content: instructions },
      ...earlier
        .filter(({ text: said }) => said.trim() !== '')
        .map(({ text: content, fields }): ChatMessage =>
          fields.sender === 'Machine' ? { role: 'assistant', content } : { role: 'user', content },
        ),
      { role: 'user', content: input_value },
    ];
    const { text: answer } = await completeChat(chat, messages, context);
    await stored?.add(sessionId, new Message({ text: input_value, sender: 'User' }), context);
    await stored?.add(sessionId, new Message({ text: answer, sender: 'Machine' }), context);
    context.status(answer);
    return { text: new Message({ text: answer }) };
  },
});
