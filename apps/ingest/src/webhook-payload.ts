import type { IncomingMessage } from 'node:http';
import type { OpenBody } from '@millrace/http';
import type { FlowReference } from '@millrace/runs';
import { decodeWebhookBody, decompressWebhookBody } from './webhook-body';
import { fieldsOfForm, isForm } from './webhook-form';

export interface ReceivedBody {
  /** The bytes as they were sent. */
  readonly bytes: Buffer;
  readonly share: OpenBody;
}

/**
 * Resolves to the text that a Webhook component of the flow receives. Rejects with HttpError for a body that is
 * refused.
 */
export async function webhookPayload(
  { settings }: FlowReference,
  request: IncomingMessage,
  { bytes, share }: ReceivedBody,
  limits: { readonly maximumBodyBytes: number; readonly maximumBodyMembers: number },
): Promise<string> {
  const { maximumBodyBytes: maximumBytes, maximumBodyMembers } = limits;
  const content = await decompressWebhookBody(request, bytes, { maximumBytes, share });
  const text = decodeWebhookBody(content, maximumBodyMembers);
  if (settings.webhook?.form !== 'json' || !isForm(request)) return text;
  return fieldsOfForm(text, { maximumFields: maximumBodyMembers, maximumBytes });
}
