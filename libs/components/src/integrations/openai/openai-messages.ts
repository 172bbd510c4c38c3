import { textsOf } from '../models/chat-message';
import type { ChatMessage } from '../models/chat-message';
import type { ChatRequest } from '../models/chat-protocol';
import { toolInputText } from '../models/tool-input';
import type { ContentPart, RequestMessage, RequestTool } from './openai-protocol';

/** Converts the messages and options of a request to OpenAI's protocol. */
export function openAiRequest({ messages, tools = [], toolToCall, shape }: ChatRequest) {
  return {
    messages: messages.map(openAiMessage),
    ...(tools.length === 0 ? {} : { tools: tools.map(openAiTool) }),
    ...(toolToCall === undefined
      ? {}
      : { tool_choice: { type: 'function' as const, function: { name: toolToCall } } }),
    ...(shape === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: shape.name, schema: { ...shape.schema } },
          },
        }),
  };
}

function openAiTool({ name, description, parameters }: NonNullable<ChatRequest['tools']>[number]) {
  const described = description === undefined ? {} : { description };
  return {
    type: 'function',
    function: { name, ...described, parameters: { ...parameters } },
  } satisfies RequestTool;
}

function openAiMessage(message: ChatMessage): RequestMessage {
  const { role, content } = message;
  if (role === 'system') return { role, content };
  if (role === 'tool') return { role, tool_call_id: message.callId, content };
  if (role === 'user') {
    return {
      role,
      content: message.images?.length || message.texts?.length ? contentParts(message) : content,
    };
  }
  if (!message.toolCalls?.length) return { role, content };
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: message.toolCalls.map(({ id, name, argumentsText }) => ({
      id,
      type: 'function',
      function: { name, arguments: toolInputText(argumentsText) },
    })),
    // DeepSeek requires its thoughts back; a server that sends none gets none.
    ...(message.reasoning ? { reasoning_content: message.reasoning } : {}),
  };
}

function contentParts(message: ChatMessage & { readonly role: 'user' }): ContentPart[] {
  return [
    ...textsOf(message).map((text) => ({ type: 'text' as const, text })),
    ...(message.images ?? []).map(({ mimeType, base64 }) => ({
      type: 'image_url' as const,
      image_url: { url: `data:${mimeType};base64,${base64}` },
    })),
  ];
}
