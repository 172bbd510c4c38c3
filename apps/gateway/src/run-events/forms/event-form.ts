import { closingEventId } from '../event-id';
import type { FollowedEvent } from '../event-sequence';

/** How a stream shows the events of a run. One object serves one stream from its first event to its last. */
export interface EventForm {
  /** Returns the events that precede those of the run. */
  opening(): readonly FollowedEvent[];
  /** Returns what the stream shows of events of the run. */
  running(events: readonly FollowedEvent[]): readonly FollowedEvent[];
  /**
   * Returns the last events. `texts` are the closing events as JSON; a lost run has none, and a suspended one only at the route of
   * AG-UI.
   */
  closing(texts: readonly string[], isSuspended: boolean): readonly FollowedEvent[];
}

/** The events as the executor sends them. */
export const plainEvents: EventForm = {
  opening: () => [],
  running: (events) => events,
  closing: (texts) => texts.map((text, index) => ({ id: closingEventId(index + 1), text })),
};
