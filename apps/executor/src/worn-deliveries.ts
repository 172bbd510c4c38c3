import type { Job } from '@millrace/contracts';
import type { Delivery } from '@millrace/messaging';

/** Returns to a background lane after which its message is held no longer than it must be; after five it is poison. */
const RETURNS_UNTIL_WORN = 3;
/** The same of the quarantine, where a message is poison after two, and where runs go one after the other if they can. */
const QUARANTINED_RETURNS_UNTIL_WORN = 1;

/**
 * Whether a message is about to count as poison, though it may be its connections that were cut again and again. Only
 * runs that have a row can do without their message.
 */
export function isWorn({ durable }: Job, { headers }: Delivery, isQuarantined: boolean): boolean {
  const bound = isQuarantined ? QUARANTINED_RETURNS_UNTIL_WORN : RETURNS_UNTIL_WORN;
  return durable && Number(headers['x-delivery-count'] ?? 0) >= bound;
}
