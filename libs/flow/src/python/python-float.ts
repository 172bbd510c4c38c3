/** A float whose value is whole, such as Python's `1.0`: JavaScript alone would print it as an integer. */
export class PythonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): number {
    return this.value;
  }
}
