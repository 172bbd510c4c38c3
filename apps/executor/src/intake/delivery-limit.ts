import type { Job } from '@millrace/contracts';
import type { Delivery } from '@millrace/messaging';

/** Redeliveries on a background lane before a message is settled early; after five, the broker treats it as poison. */
const REDELIVERY_THRESHOLD = 3;
/**
 * The same for the quarantine, where a message is poison after two redeliveries and runs execute one by one if
 * possible.
 */
const QUARANTINE_REDELIVERY_THRESHOLD = 1;

/**
 * Returns whether a message is near the delivery limit of its queue, to which repeated connection failures count, too.
 * Only runs that have a row can continue without their message.
 */
export function isNearDeliveryLimit(
  { durable }: Job,
  { headers }: Delivery,
  isQuarantined: boolean,
): boolean {
  const threshold = isQuarantined ? QUARANTINE_REDELIVERY_THRESHOLD : REDELIVERY_THRESHOLD;
  return durable && Number(headers['x-delivery-count'] ?? 0) >= threshold;
}
