import type { ChannelModel } from 'amqplib';
import { withTemporaryChannel, replyCodeOf } from './temporary-channel';
import type { TopologyDeclarer } from './topology-declarer';

const NOT_FOUND = 404;
/** RabbitMQ 3.10 tries to reach the leader of a queue for five seconds before it deletes the queue without one. */
const DELETE_TIMEOUT_MILLISECONDS = 30_000;

/**
 * Deletes an unusable queue and declares it again. Leaves a queue with consumers or messages unchanged: it has a leader,
 * so another process has recreated it already. Resolves to whether this call deleted the queue.
 */
export async function recreateQueue(
  model: ChannelModel,
  queue: string,
  declarer: TopologyDeclarer,
): Promise<boolean> {
  if (await isInUse(model, queue)) return false;
  const action = `deleting queue "${queue}"`;
  await withTemporaryChannel(
    model,
    action,
    (channel) => channel.deleteQueue(queue),
    DELETE_TIMEOUT_MILLISECONDS,
  );
  await declarer.ensureQueue(model, queue);
  return true;
}

async function isInUse(model: ChannelModel, queue: string): Promise<boolean> {
  try {
    const status = await withTemporaryChannel(model, `checking queue "${queue}"`, (channel) =>
      channel.checkQueue(queue),
    );
    return status.consumerCount > 0 || status.messageCount > 0;
  } catch (error) {
    if (replyCodeOf(error) === NOT_FOUND) return false;
    throw error;
  }
}
