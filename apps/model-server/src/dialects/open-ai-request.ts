import { checkToolMessages } from './check-tool-messages';
import type { ChatRequest } from '../chat-request';
import { isObject } from '../json-object';
import type { JsonObject } from '../json-object';
import { ModelServerError } from '../model-server-error';
import { readToolOffer } from './open-ai-tools';

/** Reads a body as OpenAI's API does; throws ModelServerError 400 for what that API refuses. */
export function readOpenAiRequest(body: unknown): ChatRequest {
  if (!isObject(body)) throw new ModelServerError(400, 'The body must be a JSON object.');
  const { model, messages, stream } = body;
  if (typeof model !== 'string' || model === '')
    throw new ModelServerError(400, 'You must provide a model parameter.');
  if (!Array.isArray(messages) || messages.length === 0)
    throw new ModelServerError(400, "'messages' must be an array with at least one message.");
  const read = messages.map(readMessage);
  checkToolMessages(messages.filter(isObject));
  const sinceUser = read.slice(read.findLastIndex(({ role }) => role === 'user') + 1);
  const sinceAssistant = read.slice(read.findLastIndex(({ role }) => role === 'assistant') + 1);
  const streamOptions = body['stream_options'];
  const maximumTokens = body['max_completion_tokens'] ?? body['max_tokens'];
  return {
    model,
    texts: read.map(({ text }) => text),
    lastUserText: read.findLast(({ role }) => role === 'user')?.text ?? '',
    offer: readToolOffer(body),
    callsMade: sinceUser.filter(({ role }) => role === 'assistant').length,
    toolResults: sinceAssistant.filter(({ role }) => role === 'tool').map(({ text }) => text),
    answerSchema: readAnswerSchema(body['response_format']),
    stream: stream === true,
    includeUsage: isObject(streamOptions) && streamOptions['include_usage'] === true,
    maximumTokens: typeof maximumTokens === 'number' && maximumTokens > 0 ? maximumTokens : undefined,
  };
}

function readMessage(message: unknown, index: number): { role: string; text: string } {
  if (!isObject(message) || typeof message['role'] !== 'string')
    throw new ModelServerError(400, `'messages[${index}]' must be an object with a role.`);
  return { role: message['role'], text: contentText(message['content']) };
}

/** Returns the text of a content, which is a string or a list of parts; parts without text are ignored. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

/** Reads the schema of the answer; for JSON of any shape it is an object with one member. */
function readAnswerSchema(format: unknown): JsonObject | null {
  if (format === undefined || format === null) return null;
  if (!isObject(format)) throw new ModelServerError(400, "'response_format' must be an object.");
  const { type, json_schema: shape } = format;
  if (type === 'text') return null;
  if (type === 'json_object') return { type: 'object', properties: { answer: { type: 'string' } } };
  if (type !== 'json_schema')
    throw new ModelServerError(400, "'response_format.type' must be text, json_object or json_schema.");
  const schema = isObject(shape) && typeof shape['name'] === 'string' ? shape['schema'] : undefined;
  if (!isObject(schema))
    throw new ModelServerError(400, "'response_format.json_schema' must have a name and a schema.");
  return schema;
}
