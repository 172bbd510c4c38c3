import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

const MAXIMUM_SESSION_LENGTH = 1_000;

export const chatBodySchema = openBody(
  'ChatRequest',
  {
    /** The flow: its id or endpoint name. */
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
          /** A text, or parts of which those of type `text` count. */
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
    /** The session; not a member of OpenAI. */
    session_id: { type: ['string', 'null'], maxLength: MAXIMUM_SESSION_LENGTH },
  },
  ['model', 'messages'],
);

/** Body of `POST /v1/chat/completions`; members of OpenAI without a meaning here are ignored. */
export type ChatBody = ValueOf<typeof chatBodySchema>;

export type ChatMessageBody = ChatBody['messages'][number];
