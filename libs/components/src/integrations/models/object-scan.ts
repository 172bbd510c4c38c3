/** Maximum length of the arguments of a call that are examined. */
const maximumLength = 1_048_576;

/** Finds the JSON objects that follow each other in a text which arrives in pieces. Reads each character once. */
export class ObjectScan {
  #length = 0;
  #depth = 0;
  #start = 0;
  #last: readonly [start: number, end: number] | null = null;
  #isInString = false;
  #isEscaped = false;
  #isOther = false;

  /** The place of the last object; null when the text is not one or several complete objects. */
  get lastObject(): readonly [start: number, end: number] | null {
    return this.#isOther || this.#depth > 0 ? null : this.#last;
  }

  add(piece: string): void {
    if (this.#length + piece.length > maximumLength) this.#isOther = true;
    for (let index = 0; index < piece.length && !this.#isOther; index += 1) {
      if (this.#isInString) this.#readInString(piece.charAt(index));
      else this.#read(piece.charAt(index), this.#length + index);
    }
    this.#length += piece.length;
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  #read(character: string, index: number): void {
    if (character === '{') {
      if (this.#depth === 0) this.#start = index;
      this.#depth += 1;
    } else if (this.#depth === 0) {
      this.#isOther = character.trim() !== '';
    } else if (character === '}') {
      this.#depth -= 1;
      if (this.#depth === 0) this.#last = [this.#start, index + 1];
    } else if (character === '"') this.#isInString = true;
  }
}
