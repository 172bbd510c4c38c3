const MINIMUM_CAPACITY = 16;

/** A double-ended queue as a ring buffer that grows when it is full and shrinks when it is mostly empty. */
export class DoubleEndedQueue<T> {
  #slots: (T | undefined)[] = new Array(MINIMUM_CAPACITY);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns the first element, or undefined when the queue is empty. */
  first(): T | undefined {
    return this.#length === 0 ? undefined : this.#slots[this.#head];
  }

  addLast(value: T): void {
    this.#growWhenFull();
    this.#slots[(this.#head + this.#length) & (this.#slots.length - 1)] = value;
    this.#length += 1;
  }

  addFirst(value: T): void {
    this.#growWhenFull();
    this.#head = (this.#head - 1) & (this.#slots.length - 1);
    this.#slots[this.#head] = value;
    this.#length += 1;
  }

  takeFirst(): T | undefined {
    if (this.#length === 0) return undefined;
    const value = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) & (this.#slots.length - 1);
    this.#length -= 1;
    if (this.#slots.length > MINIMUM_CAPACITY && this.#length < this.#slots.length / 4) {
      this.#resize(this.#slots.length / 2);
    }
    return value;
  }

  #growWhenFull(): void {
    if (this.#length === this.#slots.length) this.#resize(this.#slots.length * 2);
  }

  /** Capacities are powers of two, so that a mask replaces the remainder. */
  #resize(capacity: number): void {
    const slots: (T | undefined)[] = new Array(capacity);
    for (let index = 0; index < this.#length; index += 1) {
      slots[index] = this.#slots[(this.#head + index) & (this.#slots.length - 1)];
    }
    this.#slots = slots;
    this.#head = 0;
  }
}
