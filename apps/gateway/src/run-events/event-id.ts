const IDS_OF_ATTEMPT = 1_000_000;
const CLOSING_IDS = 1_000_000_000_000;

/**
 * Returns the id of an attempt's event; the first one has number 1. Ids increase with the attempt and are the same at
 * every gateway, so that a caller can resume after the last event that they received.
 */
export function eventId(attempt: number, number: number): number {
  return (attempt - 1) * IDS_OF_ATTEMPT + Math.min(number, IDS_OF_ATTEMPT - 1);
}

/** Returns the id of a closing event, counted from 1. It is greater than the ids of all attempts' events. */
export function closingEventId(number: number): number {
  return CLOSING_IDS + number;
}
