import type { ChannelModel } from 'amqplib';
import { onScratchChannel, replyCodeOf } from './scratch-channel';
import type { TopologyDeclarer } from './topology-declarer';

const NOT_FOUND = 404;
/** RabbitMQ 3.10 asks a queue without a leader for five seconds before it deletes it all the same. */
const DELETE_TIMEOUT_MILLISECONDS = 30_000;

/**
 * Deletes a queue that cannot be used and declares it again. A queue with consumers or messages has a leader: another
 * process has renewed it already, and it is left alone. Resolves to whether it was deleted.
 */
export async function renewQueue(
  model: ChannelModel,
  queue: string,
  declarer: TopologyDeclarer,
): Promise<boolean> {
  if (await isInUse(model, queue)) return false;
  const action = `deleting queue "${queue}"`;
  await onScratchChannel(model, action, (channel) => channel.deleteQueue(queue), DELETE_TIMEOUT_MILLISECONDS);
  await declarer.ensureQueue(model, queue);
  return true;
}

async function isInUse(model: ChannelModel, queue: string): Promise<boolean> {
  try {
    const status = await onScratchChannel(model, `asking about queue "${queue}"`, (channel) =>
      channel.checkQueue(queue),
    );
    return status.consumerCount > 0 || status.messageCount > 0;
  } catch (error) {
    if (replyCodeOf(error) === NOT_FOUND) return false;
    throw error;
  }
}
