import type { Options } from 'amqplib';
import type { OutgoingMessage } from '../message-bus';

const LONGEST_EXPIRATION_MILLISECONDS = 2 ** 32 - 1;

/** The message's properties for amqplib; `sequence` makes a mandatory one known again when it is returned. */
export function publishOptions(message: OutgoingMessage, sequence: number): Options.Publish {
  const options: Options.Publish = { persistent: message.persistent, mandatory: message.mandatory };
  // The one property that nobody else reads: a message id may be missing, and is the same when published again.
  if (message.mandatory) options.appId = sequence.toString(36);
  if (message.headers !== undefined) options.headers = message.headers;
  if (message.messageId !== undefined) options.messageId = message.messageId;
  if (message.correlationId !== undefined) options.correlationId = message.correlationId;
  if (message.replyTo !== undefined) options.replyTo = message.replyTo;
  if (message.type !== undefined) options.type = message.type;
  if (message.expirationMilliseconds !== undefined) {
    const whole = Math.ceil(message.expirationMilliseconds);
    options.expiration = Math.min(Math.max(whole, 0), LONGEST_EXPIRATION_MILLISECONDS);
  }
  return options;
}

/** The sequence of a returned message. */
export function sequenceOf(appId: unknown): number {
  return typeof appId === 'string' ? Number.parseInt(appId, 36) : Number.NaN;
}
