import type { Channel, ChannelModel } from 'amqplib';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';

const ANSWER_TIMEOUT_MILLISECONDS = 5_000;

/**
 * Runs a few questions on a channel of their own: a refusal of the broker closes the channel it is asked on. The
 * broker's refusals are thrown as they come, with the AMQP reply code as `code`.
 */
export async function onScratchChannel<T>(
  model: ChannelModel | null,
  action: string,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  if (model === null) throw new BusUnavailableError(`${action}: not connected to RabbitMQ`);
  const channel = await settleWithin(model.createChannel(), ANSWER_TIMEOUT_MILLISECONDS, action);
  // Refusals reach the caller through `work`; without a listener Node would throw them a second time.
  channel.on('error', () => undefined);
  try {
    return await settleWithin(work(channel), ANSWER_TIMEOUT_MILLISECONDS, action);
  } finally {
    // Rejects when the broker closed it with its refusal.
    channel.close().catch(() => undefined);
  }
}

/** The AMQP reply code of a refusal, such as 404 or 406; undefined for other errors. */
export function replyCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
