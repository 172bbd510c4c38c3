import { ComponentError } from '@millrace/flow';
import type { MessageUsage, PythonValue } from '@millrace/python-text';
import { member, objectsMember, textMember } from '../http/json-members';
import { textsOf } from '../models/chat-message';
import type { ChatMessage } from '../models/chat-message';
import type { ChatAnswer, ChatModel, ChatProtocol, ChatRequest } from '../models/chat-protocol';
import { postToModel, streamLinesFromModel } from '../models/model-http';
import type { ModelPost } from '../models/model-http';
import type { ToolCall } from '../models/tool-call';
import { toolInput } from '../models/tool-input';

/**
 * Ollama's own API, which alone has its options. It cannot demand the call of a tool: only that tool is offered then.
 * https://docs.ollama.com/api/chat
 */
export const ollamaChat: ChatProtocol = {
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
  complete: async (chat, request, context) => {
    const answer = await postToModel(chat, post(chat, request, false), context);
    return {
      text: textMember(answer, 'message', 'content'),
      toolCalls: callsIn(answer, 0),
      ...endOf(answer),
    };
  },
  stream: async function* (chat, request, context) {
    const calls: ToolCall[] = [];
    let text = '';
    for await (const line of streamLinesFromModel(chat, post(chat, request, true), context)) {
      const failure = textMember(line, 'error');
      if (failure !== '') throw new ComponentError(`${chat.provider} ended its answer early: ${failure}`);
      calls.push(...callsIn(line, calls.length));
      const piece = textMember(line, 'message', 'content');
      text += piece;
      if (piece !== '') yield piece;
      if (member(line, 'done') === true) return { text, toolCalls: calls, ...endOf(line) };
    }
    throw new ComponentError(`${chat.provider} ended its answer early.`);
  },
};

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

/** Ollama's calls have no ids. */
function callsIn(answer: PythonValue, from: number): readonly ToolCall[] {
  return objectsMember(answer, 'message', 'tool_calls').map((call, index) => ({
    id: `call_${from + index}`,
    name: textMember(call, 'function', 'name'),
    argumentsText: JSON.stringify(member(call, 'function', 'arguments') ?? {}),
  }));
}

function endOf(answer: PythonValue): Pick<ChatAnswer, 'usage' | 'model' | 'finishReason'> {
  const input = member(answer, 'prompt_eval_count');
  const output = member(answer, 'eval_count');
  const usage: MessageUsage | null =
    typeof input === 'number' && typeof output === 'number'
      ? { input_tokens: input, output_tokens: output, total_tokens: input + output }
      : null;
  return {
    usage,
    model: textMember(answer, 'model') || undefined,
    finishReason: textMember(answer, 'done_reason') || undefined,
  };
}
