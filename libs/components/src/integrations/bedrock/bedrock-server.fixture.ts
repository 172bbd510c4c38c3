import { createHash, createHmac } from 'node:crypto';
import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';
import { eventFrame } from '../aws/event-frames.fixture';
import { answerByRule, piecesOf } from '../models/model-rules.fixture';
import type { FakeModelAnswer } from '../models/model-rules.fixture';
import { bodySchema, embeddingSchemas } from './bedrock-schemas.fixture';

/** The key that the fake knows. */
export const bedrockKey = { id: 'AKIDFAKE', secret: 'fake-secret' };

interface Block {
  readonly text?: string;
  readonly image?: object;
  readonly toolUse?: { readonly toolUseId: string };
  readonly toolResult?: {
    readonly toolUseId: string;
    readonly content: readonly { readonly text: string }[];
  };
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
  readonly system?: readonly { readonly text: string }[];
  readonly toolConfig?: {
    readonly tools: readonly { readonly toolSpec: { readonly name: string } }[];
    readonly toolChoice?: { readonly tool?: { readonly name: string } };
  };
}

const usage = { inputTokens: 7, outputTokens: 4, totalTokens: 13, cacheReadInputTokens: 2 };

/** Answers as the runtime of Amazon Bedrock does, by the rules of `answerByRule`; it verifies signatures. */
export function createBedrockHandler(): FakeHandler {
  return fakeHandler((request) => {
    const wrongKey = findKeyError(request);
    if (wrongKey !== null) return wrongKey;
    const [, model = '', operation = ''] = /^\/model\/([^/]+)\/([a-z-]+)$/.exec(request.path) ?? [];
    if (request.method !== 'POST' || model === '') return refusal(404, 'UnknownOperationException', '');
    const name = decodeURIComponent(model);
    if (name === 'no.such-model') {
      return refusal(400, 'ValidationException', 'The provided model identifier is invalid.');
    }
    if (operation === 'invoke') return invoke(name, request.json);
    const wrong = violation(bodySchema, request.json) ?? findOrderError(request.json as Body);
    if (wrong !== null) return refusal(400, 'ValidationException', wrong);
    const answer = answerTo(request.json as Body);
    if (operation === 'converse-stream') return streamed(answer, name === 'broken.model');
    if (operation !== 'converse') return refusal(404, 'UnknownOperationException', '');
    const message = { role: 'assistant', content: contentOf(answer) };
    const stopReason = answer.calls.length > 0 ? 'tool_use' : 'end_turn';
    return { json: { output: { message }, stopReason, usage, metrics: { latencyMs: 1 } } };
  });
}

/** Serves the handler on a free port. */
export function startBedrockServer(): Promise<FakeService> {
  return startFakeService(createBedrockHandler());
}

function refusal(status: number, type: string, message: string): FakeAnswer {
  return {
    status,
    json: { message },
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` },
  };
}

/** Computes the signature from the received request, as AWS does. */
function findKeyError({ method, path, text, headers }: FakeRequest): FakeAnswer | null {
  const { authorization = '' } = headers;
  const found =
    /Credential=(\w+)\/(\d+)\/([\w-]+)\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w+)$/.exec(
      authorization,
    );
  if (found === null)
    return refusal(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  const [, id = '', day = '', region = '', service = '', names = '', signature = ''] = found;
  const token = headers['x-amz-security-token'];
  if (id !== bedrockKey.id || (token !== undefined && token !== 'a-token')) {
    return refusal(
      403,
      'UnrecognizedClientException',
      'The security token included in the request is invalid.',
    );
  }
  const time = String(headers['x-amz-date']);
  const hash = (value: string): string => createHash('sha256').update(value).digest('hex');
  const sign = (key: string | Buffer, value: string): Buffer =>
    createHmac('sha256', key).update(value).digest();
  const canonical =
    `${method}\n${path.replaceAll('%', '%25')}\n\n` +
    names
      .split(';')
      .map((name) => `${name}:${String(headers[name])}\n`)
      .join('') +
    `\n${names}\n${hash(text)}`;
  const scope = `${day}/${region}/${service}/aws4_request`;
  const key = sign(sign(sign(sign(`AWS4${bedrockKey.secret}`, day), region), service), 'aws4_request');
  const expected = sign(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(canonical)}`).toString('hex');
  if (service !== 'bedrock' || !names.split(';').includes('host') || signature !== expected) {
    return refusal(
      403,
      'InvalidSignatureException',
      'The request signature we calculated does not match the signature you provided.',
    );
  }
  return null;
}

/** Checks that roles alternate, and that each tool call is answered in the next turn and declared. */
function findOrderError({ messages, toolConfig }: Body): string | null {
  let open: readonly (string | undefined)[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) {
      return 'A conversation must alternate between user and assistant roles.';
    }
    const answered = content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? []);
    if (open.join() !== answered.join()) {
      return `Expected toolResult blocks at messages.${index}.content for the following Ids: ${open.join()}`;
    }
    open = content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
    if (open.length > 0 && toolConfig === undefined) {
      return 'The toolConfig field must be defined when using toolUse and toolResult content blocks.';
    }
  }
  return null;
}

function answerTo({ messages, system = [], toolConfig }: Body): FakeModelAnswer {
  const last = messages.at(-1)?.content ?? [];
  return answerByRule({
    system: system.map(({ text }) => text).join(),
    userText: last.map(({ text = '' }) => text).join(''),
    images: last.filter(({ image }) => image !== undefined).length,
    tools: (toolConfig?.tools ?? []).map(({ toolSpec }) => toolSpec.name),
    forced: toolConfig?.toolChoice?.tool?.name ?? null,
    results: last.flatMap(({ toolResult }) => toolResult?.content.map(({ text }) => text) ?? []),
  });
}

function contentOf({ text, calls }: FakeModelAnswer): readonly object[] {
  return [
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ name, input }, index) => ({ toolUse: { toolUseId: `tooluse_${index}`, name, input } })),
  ];
}

function streamed({ text, calls }: FakeModelAnswer, breaks: boolean): FakeAnswer {
  const send = (type: string, event: object): Buffer =>
    eventFrame(
      { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
      { p: 'abcd', ...event },
    );
  const textFrames = piecesOf(text).map((piece) =>
    send('contentBlockDelta', { contentBlockIndex: 0, delta: { text: piece } }),
  );
  if (breaks) {
    const kind = { ':message-type': 'exception', ':exception-type': 'modelStreamErrorException' };
    const broken = eventFrame(kind, { message: 'The model stopped.' });
    return { bytes: Buffer.concat([...textFrames, broken]) };
  }
  const callFrames = calls.flatMap(({ name, input }, index) => {
    const json = JSON.stringify(input);
    const place = { contentBlockIndex: index + 1 };
    return [
      send('contentBlockStart', { ...place, start: { toolUse: { toolUseId: `tooluse_${index}`, name } } }),
      ...[json.slice(0, 5), json.slice(5)].map((part) =>
        send('contentBlockDelta', { ...place, delta: { toolUse: { input: part } } }),
      ),
      send('contentBlockStop', place),
    ];
  });
  return {
    headers: { 'content-type': 'application/vnd.amazon.eventstream' },
    bytes: Buffer.concat([
      send('messageStart', { role: 'assistant' }),
      ...textFrames,
      send('contentBlockStop', { contentBlockIndex: 0 }),
      ...callFrames,
      send('messageStop', { stopReason: calls.length > 0 ? 'tool_use' : 'end_turn' }),
      send('metadata', { usage, metrics: { latencyMs: 1 } }),
    ]),
  };
}

/** A vector contains a text's length and its first letter; Cohere's, the purpose too. */
function invoke(model: string, json: unknown): FakeAnswer {
  const isCohere = model.includes('cohere.');
  const wrong = violation(isCohere ? embeddingSchemas.cohere : embeddingSchemas.titan, json);
  if (wrong !== null) return refusal(400, 'ValidationException', `Malformed input request: ${wrong}`);
  const {
    texts = [],
    inputText = '',
    input_type,
  } = json as Readonly<Partial<Record<'inputText' | 'input_type', string>> & { texts?: readonly string[] }>;
  const vector = (text: string): readonly number[] => [text.length, text.charCodeAt(0)];
  if (!isCohere) return { json: { embedding: vector(inputText), inputTextTokenCount: 1 } };
  const purpose = input_type === 'search_query' ? 1 : 0;
  return { json: { embeddings: texts.map((text) => [...vector(text), purpose]), id: '1', texts } };
}
