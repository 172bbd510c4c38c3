import type { ChatRequest } from '../chat-request';
import { isObject } from '../json-object';
import type { JsonObject } from '../json-object';
import type { OfferedTool, ToolOffer } from '../offered-tools';
import { countOf, listOf, objectWith, refuse, textOf } from './refuse';

const members =
  'model messages max_tokens system temperature top_p top_k stop_sequences stream tools tool_choice metadata output_config thinking service_tier';

interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly calls: readonly string[];
  readonly results: readonly { readonly id: string; readonly text: string }[];
}

/** Reads a body as Anthropic's API does; throws ModelServerError 400 for what that API refuses. */
export function readAnthropicRequest(body: unknown): ChatRequest {
  const request = objectWith(body, 'body', members.split(' '));
  const turns = listOf(request['messages'], 'messages').map(readTurn);
  if (turns.length === 0) refuse('messages: at least one message is required.');
  if (turns[0]?.role !== 'user') refuse('messages: first message must use the "user" role.');
  checkCalls(turns);
  const asked = turns.findLastIndex(({ role, text }) => role === 'user' && text !== '');
  return {
    model: textOf(request['model'], 'model'),
    texts: [systemText(request['system']), ...turns.map(({ text }) => text)],
    lastUserText: turns[asked]?.text ?? '',
    offer: readOffer(request),
    callsMade: turns.slice(asked + 1).filter(({ calls }) => calls.length > 0).length,
    toolResults: (turns.at(-1)?.results ?? []).map(({ text }) => text),
    answerSchema: readSchema(request['output_config']),
    stream: request['stream'] === true,
    includeUsage: true,
    maximumTokens: countOf(request['max_tokens'], 'max_tokens'),
  };
}

function systemText(system: unknown): string {
  if (system === undefined || typeof system === 'string') return system ?? '';
  return listOf(system, 'system')
    .map((block, index) => textOf(isObject(block) ? block['text'] : undefined, `system.${index}.text`))
    .join('');
}

function readTurn(message: unknown, index: number): Turn {
  const where = `messages.${index}`;
  const { role, content } = objectWith(message, where, ['role', 'content']);
  if (role !== 'user' && role !== 'assistant') refuse(`${where}.role: must be "user" or "assistant".`);
  if (typeof content === 'string') return { role, text: textOf(content, where), calls: [], results: [] };
  const blocks = listOf(content, `${where}.content`).map((block, at) =>
    readBlock(block, `${where}.content.${at}`),
  );
  if (blocks.length === 0) refuse(`${where}: all messages must have non-empty content.`);
  return {
    role,
    text: blocks.map(({ text }) => text ?? '').join(''),
    calls: blocks.flatMap(({ call }) => call ?? []),
    results: blocks.flatMap(({ result }) => result ?? []),
  };
}

interface Block {
  readonly text?: string;
  readonly call?: string;
  readonly result?: { readonly id: string; readonly text: string };
}

function readBlock(block: unknown, where: string): Block {
  const type = isObject(block) ? block['type'] : undefined;
  if (type === 'text') {
    const { text } = objectWith(block, where, ['type', 'text', 'cache_control', 'citations']);
    if (textOf(text, `${where}.text`).trim() === '')
      refuse(`${where}: text content blocks must contain non-whitespace text.`);
    return { text: String(text) };
  }
  if (type === 'image') {
    objectWith(objectWith(block, where, ['type', 'source', 'cache_control'])['source'], `${where}.source`, [
      'type',
      'media_type',
      'data',
      'url',
    ]);
    return {};
  }
  if (type === 'tool_use') {
    const { id, name, input } = objectWith(block, where, ['type', 'id', 'name', 'input', 'cache_control']);
    textOf(name, `${where}.name`);
    if (!isObject(input)) refuse(`${where}.input: must be an object.`);
    return { call: textOf(id, `${where}.id`) };
  }
  if (type !== 'tool_result') refuse(`${where}.type: must be text, image, tool_use or tool_result.`);
  const result = objectWith(block, where, ['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);
  return {
    result: {
      id: textOf(result['tool_use_id'], `${where}.tool_use_id`),
      text: resultText(result['content'], where),
    },
  };
}

function resultText(content: unknown, where: string): string {
  if (typeof content === 'string') return content;
  return listOf(content, `${where}.content`)
    .map((part) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** Checks that the turn after a tool call contains exactly the results of its calls. */
function checkCalls(turns: readonly Turn[]): void {
  let open: readonly string[] = [];
  for (const [index, { calls, results }] of turns.entries()) {
    const answered = new Set(results.map(({ id }) => id));
    const missing = open.filter((id) => !answered.delete(id));
    if (missing.length > 0) {
      refuse(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks: ${missing.join(', ')}.`,
      );
    }
    if (answered.size > 0)
      refuse(`messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks.`);
    open = calls;
  }
  if (open.length > 0) refuse('messages: the last tool calls have no results.');
}

function readOffer(request: JsonObject): ToolOffer {
  const tools = listOf(request['tools'], 'tools').map(readTool);
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) refuse('tools: Tool names must be unique.');
  if (request['tool_choice'] === undefined) return { tools, choice: 'auto' };
  if (tools.length === 0) refuse('tool_choice: may only be specified while providing tools.');
  const { type, name } = objectWith(request['tool_choice'], 'tool_choice', [
    'type',
    'name',
    'disable_parallel_tool_use',
  ]);
  if (type === 'auto' || type === 'none') return { tools, choice: type };
  if (type === 'any') return { tools, choice: 'required' };
  if (type !== 'tool' || typeof name !== 'string' || !names.has(name)) {
    refuse('tool_choice: must be auto, any, none, or name one of the tools.');
  }
  return { tools, choice: { name } };
}

function readTool(tool: unknown, index: number): OfferedTool {
  const where = `tools.${index}`;
  const { name, input_schema: schema } = objectWith(tool, where, [
    'type',
    'name',
    'description',
    'input_schema',
    'cache_control',
    'strict',
  ]);
  if (!/^[a-zA-Z0-9_-]{1,128}$/.test(textOf(name, `${where}.name`)))
    refuse(`${where}.name: contains characters that are not allowed.`);
  if (!isObject(schema) || schema['type'] !== 'object')
    refuse(`${where}.input_schema.type: must be "object".`);
  return { name: String(name), parameters: schema };
}

function readSchema(config: unknown): JsonObject | null {
  if (config === undefined) return null;
  const { format } = objectWith(config, 'output_config', ['format', 'effort']);
  if (format === undefined) return null;
  const { type, schema } = objectWith(format, 'output_config.format', ['type', 'schema']);
  if (type !== 'json_schema' || !isObject(schema))
    refuse('output_config.format: must be a json_schema with a schema.');
  return schema;
}
