import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';
import { answerByRule, piecesOf } from '../models/model-rules.fixture';

const text = { type: 'string' };
const number = { type: 'number' };
const integer = { type: 'integer' };
const bodySchema = {
  type: 'object',
  required: ['model', 'messages'],
  additionalProperties: false,
  properties: {
    model: { type: 'string', minLength: 1 },
    stream: { type: 'boolean' },
    format: { anyOf: [{ const: 'json' }, { type: 'object' }] },
    options: {
      type: 'object',
      additionalProperties: false,
      properties: {
        temperature: number,
        top_p: number,
        repeat_penalty: number,
        tfs_z: number,
        mirostat: { enum: [0, 1, 2] },
        mirostat_eta: number,
        mirostat_tau: number,
        seed: integer,
        num_predict: integer,
        top_k: integer,
        num_ctx: integer,
        num_gpu: integer,
        num_thread: integer,
        repeat_last_n: integer,
        stop: { type: 'array', items: text },
      },
    },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['role', 'content'],
        additionalProperties: false,
        properties: {
          role: { enum: ['system', 'user', 'assistant', 'tool'] },
          content: text,
          images: { type: 'array', items: { type: 'string', pattern: '^[A-Za-z0-9+/]+=*$' } },
          tool_name: text,
          tool_calls: {
            type: 'array',
            items: {
              type: 'object',
              required: ['function'],
              properties: {
                function: {
                  type: 'object',
                  required: ['name', 'arguments'],
                  properties: { name: text, arguments: { type: 'object' } },
                },
              },
            },
          },
        },
      },
    },
    tools: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'function'],
        properties: { type: { const: 'function' } },
      },
    },
  },
};

interface Body {
  readonly model: string;
  readonly stream?: boolean;
  readonly format?: unknown;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly images?: readonly string[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Answers as Ollama's own API does, by the rules of `answerByRule`. Accepts every key but "wrong". */
export function createOllamaHandler(): FakeHandler {
  return fakeHandler(({ method, path, headers, json }) => {
    if (headers.authorization === 'Bearer wrong') return { status: 401, json: { error: 'unauthorized' } };
    if (method !== 'POST' || path !== '/api/chat') return { status: 404, text: '404 page not found' };
    const wrong = violation(bodySchema, json);
    if (wrong !== null) return { status: 400, json: { error: wrong } };
    const body = json as Body;
    if (body.model === 'missing') return { status: 404, json: { error: "model 'missing' not found" } };
    return answer(body);
  });
}

/** Serves the handler on a free port. */
export function startOllamaServer(): Promise<FakeService> {
  return startFakeService(createOllamaHandler());
}

function answer({ model, stream = true, format, messages, tools = [] }: Body): FakeAnswer {
  const last = messages.at(-1);
  const results = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const given = answerByRule({
    system: messages.find(({ role }) => role === 'system')?.content ?? '',
    userText: last?.role === 'user' ? last.content : '',
    images: last?.images?.length ?? 0,
    tools: tools.map((tool) => tool.function.name),
    forced: null,
    results: results.flatMap(({ role, content }) => (role === 'tool' ? [content] : [])),
  });
  // With a format the answer is JSON alone.
  const said = format === undefined ? given.text : (last?.content ?? '');
  const tool_calls = given.calls.map(({ name, input }) => ({ function: { name, arguments: input } }));
  const calls = tool_calls.length === 0 ? {} : { tool_calls };
  const head = { model, created_at: '2026-01-01T00:00:00Z' };
  const end = { done: true, done_reason: 'stop', prompt_eval_count: 9, eval_count: 4 };
  if (!stream) return { json: { ...head, message: { role: 'assistant', content: said, ...calls }, ...end } };
  const lines = [
    ...piecesOf(said).map((content) => ({ ...head, message: { role: 'assistant', content }, done: false })),
    ...(tool_calls.length === 0
      ? []
      : [{ ...head, message: { role: 'assistant', content: '', ...calls }, done: false }]),
    ...(model === 'broken'
      ? [{ error: 'the runner has stopped' }]
      : [{ ...head, message: { role: 'assistant', content: '' }, ...end }]),
  ];
  return {
    headers: { 'content-type': 'application/x-ndjson' },
    text: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
}
