/** Resolves when all vertices of earlier layers that can store a message have ended; null when none is left. */
export type EarlierLayers = () => Promise<void> | null;

/**
 * A position in the logical order of a run, by the layers of its graph. A layer is the set of vertices that would run
 * at the same time if each vertex started only after all vertices one step closer to the start had ended. A layer sees
 * the actions of earlier layers and none of concurrent vertices. Actions inside of a vertex (rounds of a loop, tools of
 * a model, another flow) have a separate nested order; for other vertices they count as actions of that vertex.
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

  /** Returns a moment nested in this one, after all that were nested in it before. */
  next(): RunMoment {
    this.#steps += 1;
    return new RunMoment(this.#steps, this);
  }

  /** Returns a concurrent moment: neither sees the other. */
  concurrent(): RunMoment {
    return new RunMoment(this.#layer, this.#outer, this.#earlier);
  }

  /** Returns true when actions at the other moment, of the same run, are visible at this one. */
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

  /** Resolves when all actions that this moment sees are done. Rejects when the run ends before. */
  async settled(): Promise<void> {
    if (this.#outer !== null) await this.#outer.settled();
    const earlier = this.#earlier?.();
    if (earlier) await earlier;
  }

  /** Returns this moment, or its enclosing moment at that depth. */
  #upTo(depth: number): RunMoment {
    return this.#depth > depth && this.#outer !== null ? this.#outer.#upTo(depth) : this;
  }
}
