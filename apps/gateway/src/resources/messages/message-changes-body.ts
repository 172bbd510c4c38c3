import { openBody } from '../../http/validation/body-schema';
import type { ValueOf } from '../../http/validation/body-schema';

export const messageChangesSchema = openBody('MessageChanges', {
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
});

/** Body of `PUT /api/v1/monitor/messages/{message_id}`: absent and null members stay unchanged. */
export type MessageChangesBody = ValueOf<typeof messageChangesSchema>;
