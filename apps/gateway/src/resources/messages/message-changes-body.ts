import type { RequestSchema } from '../../http/validation/request-schema';

/** Body of `PUT /api/v1/monitor/messages/{message_id}`: absent and null members stay unchanged. */
export interface MessageChangesBody {
  readonly text?: string | null;
  readonly sender?: string | null;
  readonly sender_name?: string | null;
  readonly session_id?: string | null;
  readonly files?: readonly string[] | null;
  readonly edit?: boolean | string | number | null;
  readonly error?: boolean | string | number | null;
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly context_id?: string | null;
  readonly category?: string | null;
  readonly content_blocks?: readonly object[] | null;
  readonly session_metadata?: object | null;
}

export const messageChangesSchema: RequestSchema = {
  title: 'MessageChanges',
  type: 'object',
  'x-model': true,
  properties: {
    text: { type: ['string', 'null'] },
    sender: { type: ['string', 'null'] },
    sender_name: { type: ['string', 'null'] },
    session_id: { type: ['string', 'null'] },
    context_id: { type: ['string', 'null'] },
    files: { type: ['array', 'null'], items: { type: 'string' } },
    edit: { 'x-flag': 'optional' },
    error: { 'x-flag': 'optional' },
    properties: { type: ['object', 'null'], 'x-class': 'Properties' },
    session_metadata: { type: ['object', 'null'] },
    category: { type: ['string', 'null'] },
    content_blocks: { type: ['array', 'null'], items: { type: 'object' } },
  },
};
