import type { Logger } from '@millrace/service';
import type { Delivery, DeliveryHandler, Verdict } from './message-bus';

const FAILURE_PAUSE_MILLISECONDS = 100;

/**
 * Resolves to the handler's verdict; never rejects. A failed handler is logged and returns 'retry', after a short pause
 * that slows down a message that always fails.
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
    logger.error(
      { error, queue, messageId: delivery.messageId, correlationId: delivery.correlationId },
      'delivery handler failed; will retry',
    );
    await new Promise((resolve) => setTimeout(resolve, FAILURE_PAUSE_MILLISECONDS * (1 + Math.random())));
    return 'retry';
  }
}
