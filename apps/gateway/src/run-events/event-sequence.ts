import { eventId } from './event-id';
import { FrameOrder } from '../runs/frame-order';
import type { RunFrame } from './run-frame-log';

/** An event for a follower; `text` is JSON in one line. */
export interface FollowedEvent {
  readonly id: number;
  readonly text: string;
}

/**
 * Orders a run's frames by attempt and sequence number, each once. A newer attempt replaces the previous one and
 * repeats its events, so a `restart` event precedes it; one that continues a suspended run repeats none. The same frames
 * always result in the same ids.
 */
export class EventSequence {
  #order = new FrameOrder<RunFrame>();
  #attempt = 1;
  #number = 0;
  #isComplete = false;
  #isSuspended = false;

  /** True when the last frame of the newest attempt has been added. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Adds a frame and returns the events that can now be delivered, in order. */
  add(frame: RunFrame): FollowedEvent[] {
    if (frame.attempt < this.#attempt) return [];
    const events: FollowedEvent[] = [];
    if (frame.attempt > this.#attempt) {
      const continues = this.#isSuspended;
      this.#begin(frame.attempt);
      const text = `{"event": "restart", "data": {"attempt": ${frame.attempt}}}`;
      if (!continues) events.push({ id: eventId(frame.attempt, 0), text });
    }
    for (const next of this.#order.add(frame.sequence, frame)) events.push(...this.#eventsOf(next));
    return events;
  }

  /** Returns the events that are held for missing frames, once those count as lost. */
  flush(): FollowedEvent[] {
    return this.#order.flush().flatMap((frame) => this.#eventsOf(frame));
  }

  #begin(attempt: number): void {
    this.#attempt = attempt;
    this.#order = new FrameOrder();
    this.#number = 0;
    this.#isComplete = false;
    this.#isSuspended = false;
  }

  #eventsOf({ isFinal, lines }: RunFrame): FollowedEvent[] {
    if (isFinal) {
      this.#isComplete = true;
      return [];
    }
    const texts = lines.split('\n').filter((text) => text !== '');
    this.#isSuspended = texts.at(-1)?.startsWith('{"event": "human_input_required"') === true;
    return texts.map((text) => ({ id: eventId(this.#attempt, ++this.#number), text }));
  }
}
