/** Orders frames by sequence number, each once. Frames after a missing one are held until that one arrives. */
export class FrameOrder<Frame> {
  readonly #held = new Map<number, Frame>();
  #next = 0;

  /** The sequence number of the next expected frame. */
  get next(): number {
    return this.#next;
  }

  /** Whether a frame is known to be missing. */
  get hasGap(): boolean {
    return this.#held.size > 0;
  }

  /** Adds a frame and returns the frames that can now be delivered in order. */
  add(sequence: number, frame: Frame): Frame[] {
    if (sequence < this.#next) return [];
    this.#held.set(sequence, frame);
    const deliverable: Frame[] = [];
    for (let held = this.#take(); held !== undefined; held = this.#take()) deliverable.push(held);
    return deliverable;
  }

  /** Returns the held frames in order and stops waiting for missing ones. */
  flush(): Frame[] {
    const held = [...this.#held].sort(([one], [other]) => one - other);
    this.#held.clear();
    return held.map(([, frame]) => frame);
  }

  #take(): Frame | undefined {
    const frame = this.#held.get(this.#next);
    if (frame === undefined) return undefined;
    this.#held.delete(this.#next);
    this.#next += 1;
    return frame;
  }
}
