import type { Channel, ChannelModel } from 'amqplib';
import { BusUnavailableError } from '../message-bus-errors';
import { settleWithin } from '../settle-within';

const ANSWER_TIMEOUT_MILLISECONDS = 5_000;

/**
 * Runs a few questions on a channel of their own: a refusal of the broker closes the channel it is asked on. The
 * broker's refusals are thrown as they come, with the AMQP reply code as `code`; a connection or channel that ends
 * meanwhile is a BusUnavailableError.
 */
export async function onScratchChannel<T>(
  model: ChannelModel | null,
  action: string,
  work: (channel: Channel) => Promise<T>,
  timeoutMilliseconds = ANSWER_TIMEOUT_MILLISECONDS,
): Promise<T> {
  if (model === null) throw new BusUnavailableError(`${action}: not connected to RabbitMQ`);
  try {
    const channel = await openWithin(model, action);
    // Refusals reach the caller through `work`; without a listener Node would throw them a second time.
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

/** The AMQP reply code of a refusal, such as 404 or 406; undefined for other errors. */
export function replyCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}

/** A channel that opens too late is closed, not leaked. */
async function openWithin(model: ChannelModel, action: string): Promise<Channel> {
  const opening = model.createChannel();
  try {
    return await settleWithin(opening, ANSWER_TIMEOUT_MILLISECONDS, action);
  } catch (error) {
    opening.then(closeQuietly, () => undefined);
    throw error;
  }
}

/** Closed already, by a refusal or with its connection, is as good; amqplib throws or rejects then. */
function closeQuietly(channel: Channel): void {
  channel.on('error', () => undefined);
  void Promise.resolve()
    .then(() => channel.close())
    .catch(() => undefined);
}
