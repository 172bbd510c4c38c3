import type { RequestSchema } from '../../http/validation/request-schema';

const MAXIMUM_SESSION_LENGTH = 1_000;

export interface ChatMessageBody {
  readonly role: string;
  /** A text, or parts of which those of type `text` count. */
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
}

/** Body of `POST /v1/chat/completions`; members of OpenAI without a meaning here are ignored. */
export interface ChatBody {
  /** The flow: its id or endpoint name. */
  readonly model: string;
  readonly messages: readonly ChatMessageBody[];
  readonly stream?: boolean | null;
  readonly stream_options?: { readonly include_usage?: boolean | null } | null;
  readonly n?: number | null;
  readonly tools?: readonly unknown[] | null;
  readonly functions?: readonly unknown[] | null;
  /** The session; not a member of OpenAI. */
  readonly session_id?: string | null;
}

export const chatBodySchema: RequestSchema = {
  title: 'ChatRequest',
  type: 'object',
  'x-model': true,
  required: ['model', 'messages'],
  properties: {
    model: { type: 'string' },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        'x-model': true,
        required: ['role'],
        properties: {
          role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
          content: {
            type: ['string', 'array', 'null'],
            items: {
              type: 'object',
              'x-model': true,
              required: ['type'],
              properties: { type: { type: 'string' }, text: { type: 'string' } },
            },
          },
        },
      },
    },
    stream: { type: ['boolean', 'null'] },
    stream_options: {
      type: ['object', 'null'],
      properties: { include_usage: { type: ['boolean', 'null'] } },
    },
    n: { type: ['integer', 'null'], minimum: 1, maximum: 128 },
    tools: { type: ['array', 'null'] },
    functions: { type: ['array', 'null'] },
    session_id: { type: ['string', 'null'], maxLength: MAXIMUM_SESSION_LENGTH },
  },
};
