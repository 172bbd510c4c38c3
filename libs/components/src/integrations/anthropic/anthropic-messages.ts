import { alternatingTurns } from '../models/alternating-turns';
import type { Block } from '../models/alternating-turns';
import { splitInstructions, textsOf } from '../models/chat-message';
import type { ChatTurn } from '../models/chat-message';
import type { ChatRequest } from '../models/chat-protocol';
import { shapeInstructions } from '../models/shape-instructions';
import { toolInput } from '../models/tool-input';

/** Converts the messages and options of a request to Anthropic's protocol. */
export function anthropicRequest({ messages, tools = [], toolToCall, shape }: ChatRequest) {
  const { instructions, turns } = splitInstructions(messages);
  const shaped = shape === undefined ? '' : shapeInstructions(shape);
  const system = [instructions, shaped].filter((part) => part !== '').join('\n\n');
  return {
    ...(system === '' ? {} : { system }),
    messages: alternatingTurns(turns, blocksOf, textBlock('…')).map(({ role, content }) => ({
      role,
      content: plainContent(content),
    })),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            name,
            ...(description === undefined ? {} : { description }),
            input_schema: parameters,
          })),
        }),
    ...(toolToCall === undefined ? {} : { tool_choice: { type: 'tool', name: toolToCall } }),
  };
}

/** Returns a turn of one text as that text, as Langflow sends it. */
function plainContent(content: readonly Block[]): unknown {
  const [first] = content;
  return content.length === 1 && first?.['type'] === 'text' ? first['text'] : content;
}

function blocksOf(message: ChatTurn): Block[] {
  const text = textsOf(message).filter(isNotBlank).map(textBlock);
  if (message.role === 'tool') {
    return [{ type: 'tool_result', tool_use_id: message.callId, content: message.content }];
  }
  if (message.role === 'assistant') {
    const calls = message.toolCalls ?? [];
    return [
      ...text,
      ...calls.map(({ id, name, argumentsText }) => ({
        type: 'tool_use',
        id,
        name,
        input: toolInput(argumentsText),
      })),
    ];
  }
  const images = message.images ?? [];
  return [
    ...images.map(({ mimeType, base64 }) => ({
      type: 'image',
      source: { type: 'base64', media_type: mimeType, data: base64 },
    })),
    ...text,
  ];
}

function textBlock(text: string): Block {
  return { type: 'text', text };
}

function isNotBlank(text: string): boolean {
  return text.trim() !== '';
}
