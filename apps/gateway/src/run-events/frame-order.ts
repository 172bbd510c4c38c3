/** Puts frames in order by their numbers, each once: what comes after a missing one is held until that one comes. */
export class FrameOrder<Frame> {
  readonly #held = new Map<number, Frame>();
  #next = 0;

  /** The number of the frame that comes next. */
  get next(): number {
    return this.#next;
  }

  /** Whether a frame is known to be missing. */
  get hasGap(): boolean {
    return this.#held.size > 0;
  }

  /** The frames whose turn has come with this one. */
  add(sequence: number, frame: Frame): Frame[] {
    if (sequence < this.#next) return [];
    this.#held.set(sequence, frame);
    const due: Frame[] = [];
    for (let held = this.#take(); held !== undefined; held = this.#take()) due.push(held);
    return due;
  }

  /** Gives up on what is missing: the frames that are held, in order. */
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
