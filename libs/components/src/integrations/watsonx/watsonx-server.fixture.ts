import { fakeHandler, fetchFrom, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeRequest, FakeService } from '../http/fake-service.fixture';
import { answerByRule, event, piecesOf } from '../models/model-rules.fixture';
import type { FakeModelAnswer, FakeModelRequest } from '../models/model-rules.fixture';

const text = { type: 'string', minLength: 1 };
const part = {
  anyOf: [
    { type: 'object', properties: { type: { const: 'text' }, text }, required: ['type', 'text'] },
    {
      type: 'object',
      required: ['type', 'image_url'],
      properties: {
        type: { const: 'image_url' },
        image_url: {
          type: 'object',
          properties: { url: { type: 'string', pattern: '^data:image/\\w+;base64,' } },
          required: ['url'],
        },
      },
    },
  ],
};
const scope = {
  oneOf: [{ required: ['project_id'] }, { required: ['space_id'] }],
  properties: { project_id: text, space_id: text },
};
const chatSchema = {
  type: 'object',
  required: ['model_id', 'messages'],
  additionalProperties: false,
  ...scope,
  properties: {
    ...scope.properties,
    model_id: text,
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['role'],
        additionalProperties: false,
        properties: {
          role: { enum: ['system', 'user', 'assistant', 'tool'] },
          content: { anyOf: [{ type: ['string', 'null'] }, { type: 'array', items: part }] },
          tool_call_id: text,
          tool_calls: { type: 'array' },
        },
      },
    },
    tools: { type: 'array' },
    tool_choice: { type: 'object' },
    response_format: { type: 'object' },
    max_tokens: { type: 'integer' },
    temperature: { type: 'number' },
    top_p: { type: 'number' },
    seed: { type: 'integer' },
    frequency_penalty: { type: 'number' },
    presence_penalty: { type: 'number' },
    logprobs: { type: 'boolean' },
    top_logprobs: { type: 'integer' },
    logit_bias: { type: 'object' },
    stop: { type: 'array', items: text },
  },
};
const embeddingSchema = {
  type: 'object',
  required: ['model_id', 'inputs'],
  additionalProperties: false,
  ...scope,
  properties: {
    ...scope.properties,
    model_id: text,
    inputs: { type: 'array', minItems: 1, maxItems: 1000, items: text },
    parameters: { type: 'object' },
  },
};

interface Body {
  readonly model_id: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: string | null | readonly { readonly type: string; readonly text?: string }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly tool_choice?: { readonly function: { readonly name: string } };
}

/** Answers as IBM Cloud's tokens API and watsonx.ai do. Accepts every key but "wrong". */
export function createWatsonxHandler(): FakeHandler {
  return fakeHandler((request) => {
    if (request.path === '/identity/token') return token(request);
    const { method, path, query, headers, json } = request;
    if (headers.authorization !== 'Bearer token-for-a-key') {
      return refusal(401, 'authentication_token_not_valid', 'Failed to authenticate the request');
    }
    if (query.get('version') === null) return refusal(400, 'invalid_request', 'The version is missing');
    if (method === 'POST' && path === '/ml/v1/text/embeddings') return embed(json);
    if (method !== 'POST' || !/^\/ml\/v1\/text\/chat(_stream)?$/.test(path)) {
      return refusal(404, 'not_found', 'Not found');
    }
    const wrong = violation(chatSchema, json);
    if (wrong !== null) return refusal(400, 'invalid_request_entity', wrong);
    const body = json as Body;
    const ruleAnswer = answerByRule(ruleRequest(body));
    return path.endsWith('_stream') ? streamed(body, ruleAnswer) : whole(body, ruleAnswer);
  });
}

export interface WatsonxServer extends FakeService {
  /** A fetch that reaches only IBM's hosts. */
  readonly fetch: typeof fetch;
}

/** Serves the handler on a free port. */
export async function startWatsonxServer(): Promise<WatsonxServer> {
  const service = await startFakeService(createWatsonxHandler());
  const hosts = { 'iam.cloud.ibm.com': service, 'us-south.ml.cloud.ibm.com': service };
  return { ...service, fetch: fetchFrom(hosts) };
}

function token({ headers, text: body }: FakeRequest): FakeAnswer {
  const form = new URLSearchParams(body);
  const key = form.get('apikey');
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  if (!isForm || form.get('grant_type') !== 'urn:ibm:params:oauth:grant-type:apikey' || !key) {
    return {
      status: 400,
      json: { errorCode: 'BXNIM0109E', errorMessage: 'Property missing or empty: apikey' },
    };
  }
  if (key === 'wrong') {
    const errorMessage = 'Provided API key could not be found.';
    return { status: 400, json: { errorCode: 'BXNIM0415E', errorMessage } };
  }
  return { json: { access_token: `token-for-${key}`, token_type: 'Bearer', expires_in: 3600 } };
}

function refusal(status: number, code: string, message: string): FakeAnswer {
  return { status, json: { errors: [{ code, message }], trace: 'trace', status_code: status } };
}

function ruleRequest({ messages, tools = [], tool_choice: choice }: Body): FakeModelRequest {
  const textOf = ({ content = '' }: Body['messages'][number]): string =>
    typeof content === 'string' ? content : (content ?? []).map((item) => item.text ?? '').join('');
  const last = messages.at(-1);
  const lastContent = last?.content;
  const results = messages.slice(messages.findLastIndex(({ role }) => role !== 'tool') + 1);
  return {
    system: messages
      .filter(({ role }) => role === 'system')
      .map(textOf)
      .join(''),
    userText: last?.role === 'user' ? textOf(last) : '',
    images: Array.isArray(lastContent) ? lastContent.filter(({ type }) => type === 'image_url').length : 0,
    tools: tools.map((tool) => tool.function.name),
    forced: choice?.function.name ?? null,
    results: results.map(textOf),
  };
}

const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };

function callsOf({ calls }: FakeModelAnswer): readonly object[] {
  return calls.map(({ name, input }, index) => ({
    index,
    id: `chatcmpl-tool-${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

function whole({ model_id }: Body, ruleAnswer: FakeModelAnswer): FakeAnswer {
  const tool_calls = callsOf(ruleAnswer);
  const message = {
    role: 'assistant',
    content: ruleAnswer.text,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
  const finish_reason = tool_calls.length > 0 ? 'tool_calls' : 'stop';
  return { json: { id: 'chat-1', model_id, choices: [{ index: 0, message, finish_reason }], usage } };
}

function streamed({ model_id }: Body, ruleAnswer: FakeModelAnswer): FakeAnswer {
  const send = (delta: object, finish_reason: string | null): string =>
    event({ id: 'chat-1', model_id, choices: [{ index: 0, finish_reason, delta }] }, 'message');
  const pieces = piecesOf(ruleAnswer.text).map((content) => send({ role: 'assistant', content }, null));
  const tool_calls = callsOf(ruleAnswer);
  const calls = tool_calls.length > 0 ? [send({ role: 'assistant', tool_calls }, null)] : [];
  const end = send({ role: 'assistant', content: '' }, tool_calls.length > 0 ? 'tool_calls' : 'stop');
  const cost = event({ id: 'chat-1', model_id, choices: [], usage }, 'message');
  return {
    headers: { 'content-type': 'text/event-stream' },
    text: [...pieces, ...calls, end, cost].join(''),
  };
}

/** A vector encodes a text's length and its first letter. */
function embed(json: unknown): FakeAnswer {
  const wrong = violation(embeddingSchema, json);
  if (wrong !== null) return refusal(400, 'invalid_request_entity', wrong);
  const { model_id, inputs } = json as { readonly model_id: string; readonly inputs: readonly string[] };
  const results = inputs.map((input) => ({ embedding: [input.length, input.charCodeAt(0)] }));
  return { json: { model_id, results, input_token_count: inputs.length } };
}
