import type { Channel, ChannelModel } from 'amqplib';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';

const ANSWER_TIMEOUT_MILLISECONDS = 5_000;

/**
 * Runs requests on a temporary channel, because a refusal of the broker closes the channel. The broker's refusals are
 * thrown unchanged, with the AMQP reply code as `code`; a connection or channel that ends in the meantime is a
 * BusUnavailableError.
 */
export async function withTemporaryChannel<T>(
  model: ChannelModel | null,
  action: string,
  work: (channel: Channel) => Promise<T>,
  timeoutMilliseconds = ANSWER_TIMEOUT_MILLISECONDS,
): Promise<T> {
  if (model === null) throw new BusUnavailableError(`${action}: not connected to RabbitMQ`);
  try {
    const channel = await openWithin(model, action);
    // Refusals reach the caller through `work`; without a listener Node would also throw them.
    channel.on('error', () => undefined);
    try {
      return await settleWithin(work(channel), timeoutMilliseconds, action);
    } finally {
      closeQuietly(channel);
    }
  } catch (error) {
    if (error instanceof BusUnavailableError || replyCodeOf(error) !== undefined) throw error;
    // amqplib's "Channel ended, no reply will be forthcoming" and IllegalOperationError.
    throw new BusUnavailableError(`${action}: the connection to RabbitMQ was lost`, { cause: error });
  }
}

/** Returns the AMQP reply code of a refusal, such as 404 or 406; undefined for other errors. */
export function replyCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** Opens a channel; one that opens too late is closed, not leaked. */
async function openWithin(model: ChannelModel, action: string): Promise<Channel> {
  const opening = model.createChannel();
  try {
    return await settleWithin(opening, ANSWER_TIMEOUT_MILLISECONDS, action);
  } catch (error) {
    opening.then(closeQuietly, () => undefined);
    throw error;
  }
}

/** Ignores a channel that is closed already, by a refusal or with its connection; amqplib throws or rejects then. */
function closeQuietly(channel: Channel): void {
  channel.on('error', () => undefined);
  void Promise.resolve()
    .then(() => channel.close())
    .catch(() => undefined);
}
