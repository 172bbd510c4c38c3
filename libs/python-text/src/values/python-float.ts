/** A float with an integral value, such as Python's `1.0`: a JavaScript number would be printed as an integer. */
export class PythonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): number {
    return this.value;
  }
}
