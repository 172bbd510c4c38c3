import type { Logger } from '@millrace/service';
import type { Delivery, DeliveryHandler, Verdict } from './message-bus';

const FAILURE_PAUSE_MILLISECONDS = 100;

/**
 * The handler's verdict; never rejects. A failed handler is logged and means 'retry', after a short pause that keeps
 * a message that always fails from going round at full speed.
 */
export async function runHandler(
  handler: DeliveryHandler,
  delivery: Delivery,
  queue: string,
  logger: Logger,
): Promise<Verdict> {
  try {
    return await handler(delivery);
  } catch (error) {
    logger.error({ error, queue, messageId: delivery.messageId }, 'a delivery handler failed; will retry');
    await new Promise((resolve) => setTimeout(resolve, FAILURE_PAUSE_MILLISECONDS * (1 + Math.random())));
    return 'retry';
  }
}
