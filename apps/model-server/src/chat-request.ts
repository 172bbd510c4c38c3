import { ModelServerError } from './model-server-error';

/** The parts of a chat completion request that matter here. */
export interface ChatRequest {
  readonly model: string;
  /** The text of every message, in order. */
  readonly texts: readonly string[];
  readonly lastUserText: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly maximumTokens: number | undefined;
}

/** Reads a body as OpenAI's API would; throws ModelServerError 400 where that API refuses. */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isObject(body)) throw new ModelServerError(400, 'The body must be a JSON object.');
  const { model, messages, stream } = body;
  if (typeof model !== 'string' || model === '')
    throw new ModelServerError(400, 'You must provide a model parameter.');
  if (!Array.isArray(messages) || messages.length === 0)
    throw new ModelServerError(400, "'messages' must be an array with at least one message.");
  const read = messages.map(readMessage);
  const streamOptions = body['stream_options'];
  const maximumTokens = body['max_completion_tokens'] ?? body['max_tokens'];
  return {
    model,
    texts: read.map(({ text }) => text),
    lastUserText: read.findLast(({ role }) => role === 'user')?.text ?? '',
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

/** Content is text, or a list of parts of which only those with text count. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
