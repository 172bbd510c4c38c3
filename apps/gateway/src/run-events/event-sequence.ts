import { eventId } from './event-id';
import { FrameOrder } from './frame-order';
import type { RunFrame } from './run-frame-log';

/** An event as a follower gets it; `text` is JSON in one line. */
export interface FollowedEvent {
  readonly id: number;
  readonly text: string;
}

/**
 * Puts a run's frames in order: each once, an attempt's by their sequence. A newer attempt ends the one before, and is
 * announced, since it repeats it. Whoever reads the same frames gets the same ids.
 */
export class EventSequence {
  #order = new FrameOrder<RunFrame>();
  #attempt = 1;
  #number = 0;
  #isComplete = false;

  /** True when the newest attempt has said all it had to say. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** What can be told now, in order. */
  add(frame: RunFrame): FollowedEvent[] {
    if (frame.attempt < this.#attempt) return [];
    const events: FollowedEvent[] = [];
    if (frame.attempt > this.#attempt) {
      this.#begin(frame.attempt);
      events.push({
        id: eventId(frame.attempt, 0),
        text: `{"event": "restart", "data": {"attempt": ${frame.attempt}}}`,
      });
    }
    for (const next of this.#order.add(frame.sequence, frame)) events.push(...this.#eventsOf(next));
    return events;
  }

  /** What waits for frames that will not come any more. */
  flush(): FollowedEvent[] {
    return this.#order.flush().flatMap((frame) => this.#eventsOf(frame));
  }

  #begin(attempt: number): void {
    this.#attempt = attempt;
    this.#order = new FrameOrder();
    this.#number = 0;
    this.#isComplete = false;
  }

  #eventsOf({ isFinal, lines }: RunFrame): FollowedEvent[] {
    if (isFinal) {
      this.#isComplete = true;
      return [];
    }
    return lines
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => ({ id: eventId(this.#attempt, ++this.#number), text }));
  }
}
