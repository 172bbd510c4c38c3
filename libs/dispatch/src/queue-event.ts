import type { TriggerRecord } from '@millrace/runs';

/** What an event contains of a message beside its body. */
export type MessageFacts = Readonly<Record<string, unknown>>;

interface QueuePayload {
  readonly message?: MessageFacts;
  readonly delivery?: unknown;
}

/** Returns the payload of the event of a message. `body` is JSON text, which stays byte for byte as it is. */
export function queuePayload(message: MessageFacts, body: string): string {
  return `${beginningOf(message)}${body}}`;
}

/** Returns the JSON text of the body of a message from the payload of its event; null without one. */
export function bodyOfQueuePayload(payload: string): string | null {
  const { message = {}, delivery } = JSON.parse(payload) as QueuePayload;
  const beginning = beginningOf(message);
  if (payload.startsWith(beginning)) return payload.slice(beginning.length, -1);
  return delivery === undefined ? null : JSON.stringify(delivery);
}

/** Returns what components of the flow read of the body of a message. `body` is JSON text; null without one. */
export function queueInputs(
  { config }: Pick<TriggerRecord, 'config'>,
  body: string | null,
): { readonly delivery: string | null; readonly inputValue: string } {
  if (body === null) return { delivery: null, inputValue: '' };
  const value: unknown = JSON.parse(body);
  const pointer = config['input_value'];
  const isText = config['body'] === 'text' || config['body'] === 'base64';
  return {
    delivery: isText && typeof value === 'string' ? value : body,
    inputValue: typeof pointer === 'string' ? textAt(value, pointer) : '',
  };
}

function beginningOf(message: MessageFacts): string {
  return `{"provider":"rabbitmq","message":${JSON.stringify(message)},"delivery":`;
}

/** Returns the text that a JSON Pointer finds in a value: a string as it is, another value as JSON; '' for nothing. */
export function textAt(value: unknown, pointer: string): string {
  let found = value;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return '';
    if (Array.isArray(found) && key === 'length') return '';
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  if (typeof found === 'string') return found;
  return found === undefined || found === null ? '' : JSON.stringify(found);
}
