import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';
import { answerByRule, event, piecesOf } from '../models/model-rules.fixture';
import type { FakeModelAnswer, FakeModelRequest } from '../models/model-rules.fixture';

const text = { type: 'string', minLength: 1 };
const block = (type: string, properties: object, required: readonly string[]): object => ({
  type: 'object',
  properties: { type: { const: type }, ...properties },
  required: ['type', ...required],
  additionalProperties: false,
});
const blocks = [
  block('text', { text: { type: 'string', pattern: '\\S' } }, ['text']),
  block('tool_use', { id: text, name: text, input: { type: 'object' } }, ['id', 'name', 'input']),
  block('tool_result', { tool_use_id: text, content: { type: 'string' } }, ['tool_use_id']),
  block(
    'image',
    {
      source: {
        type: 'object',
        properties: {
          type: { const: 'base64' },
          media_type: { enum: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] },
          data: { type: 'string', pattern: '^[A-Za-z0-9+/]+=*$' },
        },
        required: ['type', 'media_type', 'data'],
        additionalProperties: false,
      },
    },
    ['source'],
  ),
];
const bodySchema = {
  type: 'object',
  required: ['model', 'max_tokens', 'messages'],
  additionalProperties: false,
  properties: {
    model: text,
    max_tokens: { type: 'integer', minimum: 1 },
    temperature: { type: 'number', minimum: 0, maximum: 1 },
    top_p: { type: 'number' },
    top_k: { type: 'integer' },
    stream: { type: 'boolean' },
    system: text,
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['role', 'content'],
        additionalProperties: false,
        properties: {
          role: { enum: ['user', 'assistant'] },
          content: {
            anyOf: [
              { type: 'string', pattern: '\\S' },
              { type: 'array', minItems: 1, items: { anyOf: blocks } },
            ],
          },
        },
      },
    },
    tools: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'input_schema'],
        additionalProperties: false,
        properties: {
          name: { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,128}$' },
          description: { type: 'string' },
          input_schema: {
            type: 'object',
            properties: { type: { const: 'object' } },
            required: ['type'],
          },
        },
      },
    },
    tool_choice: {
      type: 'object',
      required: ['type'],
      additionalProperties: false,
      properties: { type: { enum: ['auto', 'any', 'tool'] }, name: text },
    },
  },
};

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: string;
}

interface Body {
  readonly model: string;
  readonly system?: string;
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly tool_choice?: { readonly name?: string };
}

/** Answers as Anthropic's Messages API does, by the rules of `answerByRule`. Accepts every key but "wrong". */
export function createAnthropicHandler(): FakeHandler {
  return fakeHandler((request) => {
    const { method, path, headers, json } = request;
    const key = headers['x-api-key'];
    if (typeof key !== 'string' || key === 'wrong') {
      return refusal(401, 'authentication_error', 'invalid x-api-key');
    }
    if (headers['anthropic-version'] !== '2023-06-01') {
      return refusal(400, 'invalid_request_error', 'anthropic-version: header is required');
    }
    if (method !== 'POST' || path !== '/v1/messages') return refusal(404, 'not_found_error', 'Not Found');
    const wrong = violation(bodySchema, json) ?? findOrderError(json as Body);
    return wrong === null ? answer(json as Body) : refusal(400, 'invalid_request_error', wrong);
  });
}

/** Serves the handler on a free port. */
export function startAnthropicServer(): Promise<FakeService> {
  return startFakeService(createAnthropicHandler());
}

function refusal(status: number, type: string, message: string): FakeAnswer {
  return { status, json: { type: 'error', error: { type, message } } };
}

/** Checks that roles alternate and that every tool call is answered in the next turn. */
function findOrderError({ messages }: Body): string | null {
  let open: readonly (string | undefined)[] = [];
  for (const [index, { role, content: given }] of messages.entries()) {
    const content = blocksIn(given);
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return `messages.${index}: roles must alternate`;
    const answered = content.filter(({ type }) => type === 'tool_result').map((part) => part.tool_use_id);
    if (open.join() !== answered.join()) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks`;
    }
    open = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  return null;
}

function answer(body: Body): FakeAnswer {
  const ruleAnswer = answerByRule(ruleRequest(body));
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_reason: ruleAnswer.calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
  };
  const usage = {
    input_tokens: 7,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 2,
    output_tokens: 4,
  };
  if (body.stream) return streamed(message, ruleAnswer, usage);
  return { json: { ...message, content: contentOf(ruleAnswer), usage } };
}

function blocksIn(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function ruleRequest({ system = '', messages, tools = [], tool_choice: choice }: Body): FakeModelRequest {
  const last = blocksIn(messages.at(-1)?.content ?? []);
  return {
    system,
    userText: last.map((part) => part.text ?? '').join(''),
    images: last.filter(({ type }) => type === 'image').length,
    tools: tools.map(({ name }) => name),
    forced: choice?.name ?? null,
    results: last.flatMap(({ type, content }) => (type === 'tool_result' ? [content ?? ''] : [])),
  };
}

function contentOf({ text: said, calls }: FakeModelAnswer): readonly object[] {
  return [
    ...(said === '' ? [] : [{ type: 'text', text: said }]),
    ...calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input })),
  ];
}

function streamed(
  message: object,
  ruleAnswer: FakeModelAnswer,
  usage: { readonly output_tokens: number },
): FakeAnswer {
  const send = (data: { readonly type: string; readonly [member: string]: unknown }): string =>
    event(data, data.type);
  const blocksSent = contentOf(ruleAnswer).map((part, index) => {
    const whole = part as { readonly type: string; readonly text?: string; readonly input?: object };
    const isText = whole.type === 'text';
    const deltas = isText
      ? piecesOf(whole.text ?? '').map((piece) => ({ type: 'text_delta', text: piece }))
      : halves(JSON.stringify(whole.input)).map((piece) => ({
          type: 'input_json_delta',
          partial_json: piece,
        }));
    return [
      {
        type: 'content_block_start',
        index,
        content_block: isText ? { type: 'text', text: '' } : { ...whole, input: {} },
      },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
      .map(send)
      .join('');
  });
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const parts = [
    send({ type: 'message_start', message: start }),
    send({ type: 'ping' }),
    ...blocksSent,
    send({ type: 'message_delta', delta: {}, usage: { output_tokens: usage.output_tokens } }),
    send({ type: 'message_stop' }),
  ];
  return { headers: { 'content-type': 'text/event-stream' }, text: parts.join('') };
}

function halves(json: string): readonly string[] {
  const middle = Math.floor(json.length / 2);
  return [json.slice(0, middle), json.slice(middle)];
}
