import type { MessageUsage, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../http/json-members';
import { linesIn } from '../http/stream-events';
import { textsOf } from '../models/chat-message';
import type { ChatMessage } from '../models/chat-message';
import type { ChatModel, ChatRequest } from '../models/chat-protocol';
import { contentText } from '../models/content-text';
import { defineChatProtocol } from '../models/define-chat-protocol';
import { modelCall } from '../models/model-http';
import type { ModelPost } from '../models/model-http';
import { toolInput } from '../models/tool-input';

/**
 * Ollama's own API, which alone has its options. It cannot demand the call of a tool: only that tool is offered then.
 * https://docs.ollama.com/api/chat
 */
export const ollamaChat = defineChatProtocol({
  parameters: (_, { temperature, maximumTokens, seed, topP, json, further }) => ({
    ...(json ? { format: 'json' } : {}),
    options: {
      ...further,
      ...(temperature === null ? {} : { temperature }),
      ...(maximumTokens ? { num_predict: maximumTokens } : {}),
      ...(seed === null || seed === undefined ? {} : { seed }),
      ...(topP ? { top_p: topP } : {}),
    },
  }),
  call: (chat, request, stream) => modelCall(chat, post(chat, request, stream)),
  items: linesIn,
  read: (event, answer) => {
    const message = member(event, 'message');
    if (message === null) return;
    answer.hasBegun = true;
    answer.hasEnded ||= member(event, 'done') === true;
    answer.addText(contentText(member(message, 'content')));
    for (const call of objectsMember(message, 'tool_calls')) {
      answer.calls.add({
        index: answer.calls.count,
        id: member(call, 'id'),
        name: member(call, 'function', 'name'),
        arguments: member(call, 'function', 'arguments'),
      });
    }
    answer.usage = usageOf(event) ?? answer.usage;
    answer.model = textMember(event, 'model') || answer.model;
    answer.finishReason = textMember(event, 'done_reason') || answer.finishReason;
  },
});

function post({ model, parameters }: ChatModel, request: ChatRequest, stream: boolean): ModelPost {
  const { messages, tools = [], toolToCall, shape } = request;
  const offered = toolToCall === undefined ? tools : tools.filter(({ name }) => name === toolToCall);
  return {
    path: '/api/chat',
    body: {
      model,
      ...parameters,
      messages: messages.map(messageOf),
      ...(offered.length === 0
        ? {}
        : {
            tools: offered.map(({ name, description, parameters: schema }) => ({
              type: 'function',
              function: {
                name,
                ...(description === undefined ? {} : { description }),
                parameters: schema,
              },
            })),
          }),
      ...(shape === undefined ? {} : { format: shape.schema }),
      stream,
    },
  };
}

function messageOf(message: ChatMessage): object {
  const { role, content } = message;
  if (role === 'tool') return { role, content, tool_name: message.name };
  if (role === 'user') {
    const images = (message.images ?? []).map(({ base64 }) => base64);
    return { role, content: textsOf(message).join('\n'), ...(images.length > 0 && { images }) };
  }
  if (role !== 'assistant' || !message.toolCalls?.length) return { role, content };
  const calls = message.toolCalls.map(({ name, argumentsText }) => ({
    function: { name, arguments: toolInput(argumentsText) },
  }));
  return { role, content, tool_calls: calls };
}

function usageOf(answer: PythonValue): MessageUsage | null {
  const input = member(answer, 'prompt_eval_count');
  const output = member(answer, 'eval_count');
  return typeof input === 'number' && typeof output === 'number'
    ? { input_tokens: input, output_tokens: output, total_tokens: input + output }
    : null;
}
