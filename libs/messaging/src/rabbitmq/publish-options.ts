import type { Options } from 'amqplib';
import type { OutgoingMessage } from '../message-bus';

const MAXIMUM_EXPIRATION_MILLISECONDS = 2 ** 32 - 1;

/** Returns the message's properties for amqplib; `sequence` identifies a mandatory message when it is returned. */
export function publishOptions(message: OutgoingMessage, sequence: number): Options.Publish {
  const options: Options.Publish = { persistent: message.persistent, mandatory: message.mandatory };
  // No other reader uses this property; a message id can be missing, and repeats when a message is republished.
  if (message.mandatory) options.appId = sequence.toString(36);
  if (message.headers !== undefined) options.headers = message.headers;
  if (message.messageId !== undefined) options.messageId = message.messageId;
  if (message.correlationId !== undefined) options.correlationId = message.correlationId;
  if (message.replyTo !== undefined) options.replyTo = message.replyTo;
  if (message.type !== undefined) options.type = message.type;
  if (message.expirationMilliseconds !== undefined) {
    const whole = Math.ceil(message.expirationMilliseconds);
    options.expiration = Math.min(Math.max(whole, 0), MAXIMUM_EXPIRATION_MILLISECONDS);
  }
  return options;
}

/** Returns the sequence of a returned message. */
export function sequenceOf(appId: unknown): number {
  return typeof appId === 'string' ? Number.parseInt(appId, 36) : Number.NaN;
}
