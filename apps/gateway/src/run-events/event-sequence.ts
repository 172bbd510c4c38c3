import { eventId } from './event-id';
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
  readonly #waiting = new Map<number, RunFrame>();
  #attempt = 1;
  #next = 0;
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
    if (frame.sequence >= this.#next) this.#waiting.set(frame.sequence, frame);
    for (let next = this.#take(); next; next = this.#take()) events.push(...this.#eventsOf(next));
    return events;
  }

  /** What waits for frames that will not come any more. */
  flush(): FollowedEvent[] {
    const frames = [...this.#waiting.values()].sort((one, other) => one.sequence - other.sequence);
    this.#waiting.clear();
    return frames.flatMap((frame) => this.#eventsOf(frame));
  }

  #begin(attempt: number): void {
    this.#attempt = attempt;
    this.#waiting.clear();
    this.#next = 0;
    this.#number = 0;
    this.#isComplete = false;
  }

  #take(): RunFrame | undefined {
    const frame = this.#waiting.get(this.#next);
    if (!frame) return undefined;
    this.#waiting.delete(this.#next);
    this.#next += 1;
    return frame;
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
