import { splitInstructions } from '../models/chat-message';
import type { ChatTurn } from '../models/chat-message';
import type { ChatRequest } from '../models/chat-protocol';
import { shapeInstructions } from '../models/shape-instructions';
import { toolInput } from '../models/tool-input';

type Block = Readonly<Record<string, unknown>>;

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: Block[];
}

/** Converts the messages and options of a request to Anthropic's protocol. */
export function anthropicRequest({ messages, tools = [], toolToCall, shape }: ChatRequest) {
  const { instructions, turns } = splitInstructions(messages);
  const shaped = shape === undefined ? '' : shapeInstructions(shape);
  const system = [instructions, shaped].filter((part) => part !== '').join('\n\n');
  return {
    ...(system === '' ? {} : { system }),
    messages: alternating(turns),
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

/** Turns must alternate: consecutive messages of one role become one turn, and the first turn is the user's. */
function alternating(messages: readonly ChatTurn[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = blocksOf(message);
    if (content.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [textBlock('…')] });
  return turns;
}

function blocksOf(message: ChatTurn): Block[] {
  const text = message.content.trim() === '' ? [] : [textBlock(message.content)];
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
