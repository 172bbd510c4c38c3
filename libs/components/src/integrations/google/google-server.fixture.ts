import { fakeHandler, startFakeService, violation } from '../http/fake-service.fixture';
import type { FakeAnswer, FakeHandler, FakeService } from '../http/fake-service.fixture';
import { answerByRule, event, piecesOf } from '../models/model-rules.fixture';
import type { FakeModelAnswer, FakeModelRequest } from '../models/model-rules.fixture';

const text = { type: 'string', minLength: 1 };
const part = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    text: { type: 'string' },
    thoughtSignature: text,
    inlineData: {
      type: 'object',
      required: ['mimeType', 'data'],
      additionalProperties: false,
      properties: { mimeType: { type: 'string', pattern: '^image/' }, data: text },
    },
    functionCall: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { id: text, name: text, args: { type: 'object' } },
    },
    functionResponse: {
      type: 'object',
      required: ['name', 'response'],
      additionalProperties: false,
      properties: { id: text, name: text, response: { type: 'object' } },
    },
  },
};
const content = {
  type: 'object',
  required: ['parts'],
  additionalProperties: false,
  properties: { role: { enum: ['user', 'model'] }, parts: { type: 'array', minItems: 1, items: part } },
};
const generationConfig = {
  type: 'object',
  additionalProperties: false,
  properties: {
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    topP: { type: 'number' },
    topK: { type: 'integer' },
    seed: { type: 'integer' },
    maxOutputTokens: { type: 'integer', minimum: 1 },
    responseMimeType: { enum: ['text/plain', 'application/json'] },
    responseJsonSchema: { type: 'object' },
  },
};
const bodySchema = {
  type: 'object',
  required: ['contents'],
  additionalProperties: false,
  properties: {
    contents: { type: 'array', minItems: 1, items: content },
    systemInstruction: content,
    generationConfig,
    tools: {
      type: 'array',
      items: {
        type: 'object',
        required: ['functionDeclarations'],
        additionalProperties: false,
        properties: {
          functionDeclarations: {
            type: 'array',
            items: {
              type: 'object',
              required: ['name', 'description'],
              additionalProperties: false,
              properties: {
                name: { type: 'string', pattern: '^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$' },
                description: text,
                parametersJsonSchema: { type: 'object', properties: { type: { const: 'object' } } },
              },
            },
          },
        },
      },
    },
    toolConfig: { type: 'object' },
  },
};
const embeddingSchema = {
  type: 'object',
  required: ['requests'],
  properties: {
    requests: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['model', 'content'],
        additionalProperties: false,
        properties: {
          model: { type: 'string', pattern: '^models/' },
          content,
          taskType: { enum: ['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT'] },
          outputDimensionality: { type: 'integer', minimum: 1 },
        },
      },
    },
  },
};

interface Part {
  readonly text?: string;
  readonly inlineData?: object;
  readonly functionCall?: { readonly name: string };
  readonly thoughtSignature?: string;
  readonly functionResponse?: { readonly name: string; readonly response: { readonly result?: string } };
}

interface Content {
  readonly role?: string;
  readonly parts: readonly Part[];
}

interface Body {
  readonly contents: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly { readonly functionDeclarations: readonly { readonly name: string }[] }[];
  readonly toolConfig?: {
    readonly functionCallingConfig?: { readonly allowedFunctionNames?: readonly string[] };
  };
}

/** Answers as the Gemini API does, by the rules of `answerByRule`. Accepts every key but "wrong". */
export function createGoogleHandler(): FakeHandler {
  return fakeHandler(({ method, path, query, headers, json }) => {
    const key = headers['x-goog-api-key'];
    if (typeof key !== 'string' || key === 'wrong') {
      return refusal(400, 'API key not valid. Please pass a valid API key.', 'INVALID_ARGUMENT');
    }
    const [, model = '', action = ''] = /^\/v1beta\/models\/([^/:]+):(\w+)$/.exec(path) ?? [];
    if (method !== 'POST' || action === '')
      return refusal(404, 'Requested entity was not found.', 'NOT_FOUND');
    if (action === 'batchEmbedContents') return embed(json);
    const wrong = violation(bodySchema, json) ?? findMissingSignature(json as Body);
    if (wrong !== null) return refusal(400, wrong, 'INVALID_ARGUMENT');
    const ruleAnswer = answerByRule(ruleRequest(json as Body));
    if (action === 'generateContent') return { json: response(model, partsOf(ruleAnswer), true) };
    if (action !== 'streamGenerateContent' || query.get('alt') !== 'sse') {
      return refusal(404, 'Requested entity was not found.', 'NOT_FOUND');
    }
    return streamed(model, ruleAnswer);
  });
}

/** Serves the handler on a free port. */
export function startGoogleServer(): Promise<FakeService> {
  return startFakeService(createGoogleHandler());
}

function refusal(code: number, message: string, status: string): FakeAnswer {
  return { status: code, json: { error: { code, message, status } } };
}

/** Checks that function calls come back with the signature they were sent with. */
function findMissingSignature({ contents }: Body): string | null {
  const parts = contents.flatMap((turn) => turn.parts);
  return parts.some((sent) => sent.functionCall !== undefined && sent.thoughtSignature !== 'signed')
    ? 'Function call is missing a thought_signature in functionCall parts.'
    : null;
}

function ruleRequest({ contents, systemInstruction, tools = [], toolConfig }: Body): FakeModelRequest {
  const last = contents.at(-1)?.parts ?? [];
  return {
    system: (systemInstruction?.parts ?? []).map((sent) => sent.text ?? '').join(''),
    userText: last.map((sent) => sent.text ?? '').join(''),
    images: last.filter((sent) => sent.inlineData !== undefined).length,
    tools: tools.flatMap(({ functionDeclarations }) => functionDeclarations.map(({ name }) => name)),
    forced: toolConfig?.functionCallingConfig?.allowedFunctionNames?.[0] ?? null,
    results: last.flatMap((sent) => sent.functionResponse?.response.result ?? []),
  };
}

function partsOf({ text: said, calls }: FakeModelAnswer): readonly object[] {
  return [
    ...(said === '' ? [] : [{ text: 'hm', thought: true }, { text: said }]),
    ...calls.map(({ name, input }) => ({ functionCall: { name, args: input }, thoughtSignature: 'signed' })),
  ];
}

function response(model: string, parts: readonly object[], last: boolean): object {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...(last ? { finishReason: 'STOP' } : {}) }],
    usageMetadata: {
      promptTokenCount: 7,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 2,
      totalTokenCount: 13,
    },
    modelVersion: model,
  };
}

function streamed(model: string, { text: said, calls }: FakeModelAnswer): FakeAnswer {
  const pieces = piecesOf(said).map((piece) => event(response(model, [{ text: piece }], false)));
  const last = event(response(model, partsOf({ text: '', calls }), true));
  return {
    headers: { 'content-type': 'text/event-stream' },
    text: [...pieces, last].join('').replaceAll('\n', '\r\n'),
  };
}

/** A vector encodes a text's length, its first letter and the task type, and has the requested dimensions. */
function embed(json: unknown): FakeAnswer {
  const wrong = violation(embeddingSchema, json);
  if (wrong !== null) return refusal(400, wrong, 'INVALID_ARGUMENT');
  const { requests } = json as {
    readonly requests: readonly {
      readonly content: Content;
      readonly taskType?: string;
      readonly outputDimensionality?: number;
    }[];
  };
  const embeddings = requests.map(({ content: sent, taskType, outputDimensionality = 3 }) => {
    const said = sent.parts[0]?.text ?? '';
    const purpose = taskType === 'RETRIEVAL_QUERY' ? 1 : 0;
    return {
      values: [said.length, said.charCodeAt(0), purpose, ...Array<number>(1000).fill(0)].slice(
        0,
        outputDimensionality,
      ),
    };
  });
  return { json: { embeddings } };
}
