import { alternatingTurns } from '../models/alternating-turns';
import type { Block } from '../models/alternating-turns';
import { splitInstructions, textsOf } from '../models/chat-message';
import type { ChatTurn } from '../models/chat-message';
import type { ChatRequest } from '../models/chat-protocol';
import { shapeInstructions } from '../models/shape-instructions';
import { toolInput } from '../models/tool-input';

/** Converts the messages and options of a request to the Converse API. */
export function bedrockRequest({ messages, tools = [], toolToCall, shape }: ChatRequest) {
  const { instructions, turns } = splitInstructions(messages);
  const shaped = shape === undefined ? '' : shapeInstructions(shape);
  const system = [instructions, shaped].filter((part) => part !== '').join('\n\n');
  return {
    ...(system === '' ? {} : { system: [{ text: system }] }),
    messages: alternatingTurns(turns, blocksOf, { text: '…' }),
    ...(tools.length === 0
      ? {}
      : {
          toolConfig: {
            tools: tools.map(({ name, description, parameters }) => ({
              toolSpec: {
                name,
                ...(description ? { description } : {}),
                inputSchema: { json: parameters },
              },
            })),
            ...(toolToCall === undefined ? {} : { toolChoice: { tool: { name: toolToCall } } }),
          },
        }),
  };
}

function blocksOf(message: ChatTurn): Block[] {
  const text = textsOf(message)
    .filter(isNotBlank)
    .map((part) => ({ text: part }));
  if (message.role === 'tool') {
    // A blank text is refused.
    const content = text.length === 0 ? [{ text: '(empty)' }] : text;
    return [{ toolResult: { toolUseId: message.callId, content, status: 'success' } }];
  }
  if (message.role === 'assistant') {
    const calls = message.toolCalls ?? [];
    return [
      ...text,
      ...calls.map(({ id, name, argumentsText }) => ({
        toolUse: { toolUseId: id, name, input: toolInput(argumentsText) },
      })),
    ];
  }
  const images = message.images ?? [];
  return [
    ...images.map(({ mimeType, base64 }) => ({
      image: { format: mimeType.replace(/^image\//, ''), source: { bytes: base64 } },
    })),
    ...text,
  ];
}

function isNotBlank(text: string): boolean {
  return text.trim() !== '';
}
