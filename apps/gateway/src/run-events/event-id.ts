const IDS_OF_ATTEMPT = 1_000_000;
const CLOSING_IDS = 1_000_000_000_000;

/**
 * The id of an attempt's event; the first one is number 1. Ids rise with the attempt, and are the same at whichever
 * gateway the events are read: a caller who comes back names the last one it saw.
 */
export function eventId(attempt: number, number: number): number {
  return (attempt - 1) * IDS_OF_ATTEMPT + Math.min(number, IDS_OF_ATTEMPT - 1);
}

/** The id of what follows from the run's record, counted from 1: it comes after the events of every attempt. */
export function closingEventId(number: number): number {
  return CLOSING_IDS + number;
}
