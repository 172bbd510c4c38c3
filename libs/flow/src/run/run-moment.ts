/** Resolves when all vertices that might store a message in an earlier layer are done; null when they are. */
export type EarlierLayers = () => Promise<void> | null;

/**
 * When something happens in a run, by the layers of its graph. A layer is all that runs at the same time where no vertex
 * starts before those a step nearer to the start have ended: it sees what the layers before it did, and nothing of what
 * is done beside it. What a vertex does inside of itself (the rounds of a loop, the tools of a model, another flow)
 * has an order of its own there, and counts as the vertex's for all others.
 */
export class RunMoment {
  readonly #layer: number;
  readonly #outer: RunMoment | null;
  readonly #earlier: EarlierLayers | null;
  readonly #depth: number;
  #steps = 0;

  constructor(layer = 0, outer: RunMoment | null = null, earlier: EarlierLayers | null = null) {
    this.#layer = layer;
    this.#outer = outer;
    this.#earlier = earlier;
    this.#depth = outer === null ? 0 : outer.#depth + 1;
  }

  /** A moment inside of this one, after all that came inside of it before. */
  next(): RunMoment {
    this.#steps += 1;
    return new RunMoment(this.#steps, this);
  }

  /** Another moment at the same time: the two see nothing of each other. */
  beside(): RunMoment {
    return new RunMoment(this.#layer, this.#outer, this.#earlier);
  }

  /** True when what was done at the other moment, of the same run, is to be seen at this one. */
  sees(other: RunMoment): boolean {
    let here = this.#upTo(other.#depth);
    let there = other.#upTo(this.#depth);
    if (here === there) return true;
    while (here.#outer !== null && there.#outer !== null && here.#outer !== there.#outer) {
      here = here.#outer;
      there = there.#outer;
    }
    return there.#layer < here.#layer;
  }

  /** Resolves when all that this moment sees has been done. Rejects when the run ends before. */
  async settled(): Promise<void> {
    if (this.#outer !== null) await this.#outer.settled();
    const earlier = this.#earlier?.();
    if (earlier) await earlier;
  }

  /** This moment, or the one at that depth that it is inside of. */
  #upTo(depth: number): RunMoment {
    return this.#depth > depth && this.#outer !== null ? this.#outer.#upTo(depth) : this;
  }
}
