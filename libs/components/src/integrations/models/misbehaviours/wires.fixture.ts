import type { ComponentContext } from '@millrace/flow';
import { eventFrame } from '../../aws/event-frames.fixture';
import { bedrockChat } from '../../bedrock/bedrock-chat';
import { bedrockEmbedding } from '../../bedrock/bedrock-embedding';
import { cohereEmbedding } from '../../cohere/cohere-embedding';
import { googleEmbedding } from '../../google/google-embedding';
import { huggingFaceEmbedding } from '../../hugging-face/hugging-face-embedding';
import { ollamaChat } from '../../ollama/ollama-chat';
import { openAiEmbedding } from '../../openai/openai-embedding';
import { watsonxEmbedding } from '../../watsonx/watsonx-embedding';
import { ApiKey } from '../api-key';
import type { ChatProtocol } from '../chat-protocol';
import type { EmbeddingProtocol } from '../embedding-protocol';
import type { ModelEndpoint } from '../model-endpoint';
import { anthropic, google, openAi, watsonx } from '../../providers/providers';

/** What a provider sends, for the text in pieces. */
export interface Wire {
  readonly name: string;
  /** The JSON of a whole answer. */
  readonly whole: (text: string) => unknown;
  /** The type of a streamed answer; null when the provider has none. */
  readonly streamType: string | null;
  /** The parts of a streamed answer: one for each piece of text, then those of the end. */
  readonly pieces: (texts: readonly string[]) => readonly Buffer[];
  readonly end: readonly Buffer[];
  /** The body of an error, and a part of a stream that reports it. */
  readonly error: (message: string) => unknown;
  readonly errorPart: (message: string) => Buffer;
  /** Makes a call and returns the text of the answer. */
  readonly ask: (endpoint: ModelEndpoint, streams: boolean, context: ComponentContext) => Promise<string>;
}

const event = (value: unknown): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
const line = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);
const frame = (type: string, value: unknown): Buffer =>
  eventFrame({ ':message-type': 'event', ':event-type': type }, value);

const access = {
  accessKeyId: 'AKIDFAKE',
  secretAccessKey: new ApiKey('fake-secret'),
  sessionToken: null,
  region: 'us-east-1',
};

function asking(protocolOf: (endpoint: ModelEndpoint) => ChatProtocol): Wire['ask'] {
  return async (endpoint, streams, context) => {
    const protocol = protocolOf(endpoint);
    const chat = { ...endpoint, model: 'm', parameters: {}, protocol };
    const request = { messages: [{ role: 'user' as const, content: 'q' }] };
    if (!streams) return (await protocol.complete(chat, request, context)).text;
    const pieces = protocol.stream(chat, request, context);
    let text = '';
    for (;;) {
      const next = await pieces.next();
      if (next.done !== true) text += next.value;
      else return text === next.value.text ? text : `${text} is not ${next.value.text}`;
    }
  };
}

const openAiWire: Omit<Wire, 'name' | 'ask'> = {
  whole: (content) => ({
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  }),
  streamType: 'text/event-stream',
  pieces: (texts) => texts.map((content) => event({ choices: [{ index: 0, delta: { content } }] })),
  end: [event({ choices: [{ delta: {}, finish_reason: 'stop' }] }), Buffer.from('data: [DONE]\n\n')],
  error: (message) => ({ error: { message, type: 'invalid_request_error', code: null } }),
  errorPart: (message) => event({ error: { message, code: 503 } }),
};

/** The providers of chat models, one for each client. */
export const chatWires: readonly Wire[] = [
  { ...openAiWire, name: 'OpenAI and compatible', ask: asking(() => openAi.protocol) },
  {
    ...openAiWire,
    name: 'IBM watsonx',
    end: openAiWire.end.slice(0, 1),
    error: (message) => ({ errors: [{ code: 'invalid_request_entity', message }], trace: 't' }),
    errorPart: (message) => event({ errors: [{ code: 'service_unavailable', message }] }),
    ask: asking(() => watsonx.protocol),
  },
  {
    name: 'Anthropic',
    whole: (text) => ({
      type: 'message',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text },
      ],
      stop_reason: 'end_turn',
    }),
    streamType: 'text/event-stream',
    pieces: (texts) => [
      event({ type: 'message_start', message: { model: 'm', content: [], usage: { input_tokens: 1 } } }),
      ...texts.map((text) =>
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
      ),
    ],
    end: [
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } }),
      event({ type: 'message_stop' }),
    ],
    error: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
    errorPart: (message) => event({ type: 'error', error: { type: 'overloaded_error', message } }),
    ask: asking(() => anthropic.protocol),
  },
  {
    name: 'Google',
    whole: (text) => ({
      candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text }] }, finishReason: 'STOP' }],
    }),
    streamType: 'text/event-stream',
    pieces: (texts) => texts.map((text) => event({ candidates: [{ content: { parts: [{ text }] } }] })),
    end: [event({ candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 1 } })],
    error: (message) => [{ error: { message, status: 'INVALID_ARGUMENT' } }],
    errorPart: (message) => event({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
    ask: asking(() => google.protocol),
  },
  {
    name: 'Ollama',
    whole: (content) => ({ model: 'm', message: { role: 'assistant', content }, done: true }),
    streamType: 'application/x-ndjson',
    pieces: (texts) => texts.map((content) => line({ message: { role: 'assistant', content }, done: false })),
    end: [line({ message: { content: '' }, done: true, done_reason: 'stop' })],
    error: (error) => ({ error }),
    errorPart: (message) => line({ error: { code: 503, message } }),
    ask: asking(() => ollamaChat),
  },
  {
    name: 'Amazon Bedrock',
    whole: (text) => ({ output: { message: { content: [{ text }] } }, stopReason: 'end_turn' }),
    streamType: 'application/vnd.amazon.eventstream',
    pieces: (texts) => [
      frame('messageStart', { role: 'assistant' }),
      ...texts.map((text) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
    ],
    end: [frame('messageStop', { stopReason: 'end_turn' }), frame('metadata', { usage: { inputTokens: 1 } })],
    error: (message) => ({ message }),
    errorPart: (message) =>
      eventFrame(
        { ':message-type': 'exception', ':exception-type': 'serviceUnavailableException' },
        { message },
      ),
    ask: asking(({ baseUrl }) => bedrockChat({ ...access, baseUrl }, { streams: true })),
  },
];

/** Embeds two texts; the answer is the vectors as JSON, which a whole answer has instead of a text. */
function embedding(
  name: string,
  protocolOf: (endpoint: ModelEndpoint) => EmbeddingProtocol,
  answer: (vector: readonly number[]) => unknown,
  error: Wire['error'],
): Wire {
  return {
    name,
    whole: (text) => answer([text.length, 1]),
    streamType: null,
    pieces: () => [],
    end: [],
    error,
    errorPart: () => Buffer.alloc(0),
    ask: async (endpoint, _, context) => {
      const protocol = protocolOf(endpoint);
      const settings = { ...endpoint, model: 'm', dimensions: null, batchSize: 1, protocol, scope: {} };
      const [vector] = await protocol.embed(settings, ['q'], 'query', context);
      return 'x'.repeat(vector?.[0] ?? 0);
    },
  };
}

/** The providers of embedding models, one for each client. */
export const embeddingWires: readonly Wire[] = [
  embedding(
    'OpenAI and compatible',
    () => openAiEmbedding(),
    (vector) => ({ data: [{ index: 0, embedding: vector }] }),
    openAiWire.error,
  ),
  embedding(
    'IBM watsonx',
    () => watsonxEmbedding(),
    (vector) => ({ results: [{ embedding: vector }] }),
    (message) => ({ errors: [{ code: 'invalid_request_entity', message }] }),
  ),
  embedding(
    'Google',
    () => googleEmbedding,
    (values) => ({ embeddings: [{ values }] }),
    (message) => ({ error: { message } }),
  ),
  embedding(
    'Cohere',
    () => cohereEmbedding(''),
    (vector) => ({ embeddings: { float: [vector] } }),
    (message) => ({ message }),
  ),
  embedding(
    'Hugging Face',
    () => huggingFaceEmbedding,
    (vector) => [vector],
    (error) => ({ error, error_type: 'Validation' }),
  ),
  embedding(
    'Amazon Bedrock',
    ({ baseUrl }) => bedrockEmbedding({ ...access, baseUrl }, 'amazon.titan'),
    (vector) => ({ embedding: vector }),
    (message) => ({ message }),
  ),
];
