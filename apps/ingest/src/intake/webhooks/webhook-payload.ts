import type { IncomingMessage } from 'node:http';
import { bodyTooLarge } from '@millrace/http';
import type { OpenBody } from '@millrace/http';
import type { FlowReference } from '@millrace/runs';
import { isMultipart, readMultipartForm } from './multipart-form';
import type { MultipartForm } from './multipart-form';
import { decodeWebhookBody, decompressWebhookBody, jsonBody } from '../webhook-body';
import type { WebhookFiles } from './webhook-files';
import { fieldsOfForm, isForm, objectOfFields } from './webhook-form';

export interface ReceivedBody {
  /** The bytes as they were sent. */
  readonly bytes: Buffer;
  readonly share: OpenBody;
  /** Stores the files of a form. */
  readonly files: Pick<WebhookFiles, 'store'>;
}

interface BodyLimits {
  readonly maximumBodyBytes: number;
  readonly maximumBodyMembers: number;
}

/**
 * Resolves to the text that a Webhook component of the flow receives. Rejects with HttpError for a body that is
 * refused.
 */
export async function webhookPayload(
  { settings }: FlowReference,
  request: IncomingMessage,
  { bytes, share, files }: ReceivedBody,
  limits: BodyLimits,
): Promise<string> {
  const { maximumBodyBytes: maximumBytes, maximumBodyMembers: maximumFields } = limits;
  const content = await decompressWebhookBody(request, bytes, { maximumBytes, share });
  const isObject = settings.webhook?.form === 'json';
  if (isObject && isMultipart(request))
    return payloadOfParts(await readMultipartForm(request, content, { maximumFields }), files, maximumBytes);
  const text = decodeWebhookBody(content, maximumFields);
  if (isObject && isForm(request)) return fieldsOfForm(text, { maximumFields, maximumBytes });
  return jsonBody(text, maximumBytes);
}

/** Resolves to the fields and the names of the stored files as the text of a JSON object. */
async function payloadOfParts(
  { fields, files: parts }: MultipartForm,
  files: Pick<WebhookFiles, 'store'>,
  maximumBytes: number,
): Promise<string> {
  // Checked before files are stored, since escapes make the text longer than the form.
  const size = Buffer.byteLength(JSON.stringify(objectOfFields(fields)));
  if (size > maximumBytes) throw bodyTooLarge(size, maximumBytes);
  const members: (readonly [string, unknown])[] = [...fields];
  for (const part of parts) members.push([part.field, await files.store(part)]);
  return JSON.stringify(objectOfFields(members));
}
