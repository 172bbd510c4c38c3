import { splitInstructions, textsOf } from '../models/chat-message';
import type { ChatTurn } from '../models/chat-message';
import type { ChatRequest, ToolDefinition } from '../models/chat-protocol';
import { toolInput } from '../models/tool-input';

type Part = Readonly<Record<string, unknown>>;

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Part[];
}

/** Converts the messages and options of a request to Google's Gemini protocol. */
export function googleRequest({ messages, tools = [], toolToCall }: ChatRequest) {
  const { instructions, turns } = splitInstructions(messages);
  return {
    contents: contentsOf(turns),
    ...(instructions === '' ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(declaration) }] }),
    ...(toolToCall === undefined
      ? {}
      : { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [toolToCall] } } }),
  };
}

/** A function without arguments must not have a schema. */
function declaration({ name, description, parameters }: ToolDefinition): Part {
  const { properties } = parameters;
  const hasNoParameters =
    typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0;
  return {
    name,
    description: description ?? name,
    ...(hasNoParameters ? {} : { parametersJsonSchema: parameters }),
  };
}

/** Consecutive messages of one role, including the results of tools, become one content. */
function contentsOf(messages: readonly ChatTurn[]): readonly Content[] {
  const contents: Content[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = partsOf(message);
    if (parts.length === 0) continue;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents;
}

function partsOf(message: ChatTurn): Part[] {
  const text = textsOf(message).map((part) => ({ text: part }));
  if (message.role === 'tool') {
    const { callId: id, name, content } = message;
    return [{ functionResponse: { id, name, response: { result: content } } }];
  }
  if (message.role === 'assistant') {
    const calls = message.toolCalls ?? [];
    return [
      ...text,
      ...calls.map(({ id, name, argumentsText, signature }) => ({
        functionCall: { id, name, args: toolInput(argumentsText) },
        ...(signature === undefined ? {} : { thoughtSignature: signature }),
      })),
    ];
  }
  const images = message.images ?? [];
  return [...text, ...images.map(({ mimeType, base64 }) => ({ inlineData: { mimeType, data: base64 } }))];
}
