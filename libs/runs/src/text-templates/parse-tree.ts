/** A value of a JSON text, by the places in the text where it begins and ends. */
export interface TextNode {
  readonly kind: 'text' | 'other';
  readonly start: number;
  readonly end: number;
}

export interface ObjectNode {
  readonly kind: 'object';
  readonly start: number;
  readonly end: number;
  readonly members: readonly { readonly name: TextNode; readonly value: Node }[];
}

export interface ArrayNode {
  readonly kind: 'array';
  readonly start: number;
  readonly end: number;
  readonly items: readonly Node[];
}

export type Node = TextNode | ObjectNode | ArrayNode;

/** Deeper texts have no tree. */
const MAXIMUM_DEPTH = 64;
const WORD = /[-\w.+]+/y;

/**
 * Returns the places of all values of a JSON text; null for a text that contains blanks, is too deep or is no JSON. Unlike
 * JSON.parse it keeps how each value is written.
 */
export function parseTree(text: string): Node | null {
  const reader = new TreeReader(text);
  const root = reader.value(0);
  return root !== null && root.end === text.length ? root : null;
}

class TreeReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Node | null {
    const start = this.#at;
    const first = this.#text[start];
    if (depth > MAXIMUM_DEPTH) return null;
    if (first === '{') return this.#object(start, depth);
    if (first === '[') return this.#array(start, depth);
    return this.#scalar();
  }

  #object(start: number, depth: number): Node | null {
    const members: { name: TextNode; value: Node }[] = [];
    const isRead = this.#items('}', () => {
      const name = this.#scalar();
      if (name?.kind !== 'text' || !this.#take(':')) return false;
      const value = this.value(depth + 1);
      if (value !== null) members.push({ name, value });
      return value !== null;
    });
    return isRead ? { kind: 'object', start, end: this.#at, members } : null;
  }

  #array(start: number, depth: number): Node | null {
    const items: Node[] = [];
    const isRead = this.#items(']', () => {
      const item = this.value(depth + 1);
      if (item !== null) items.push(item);
      return item !== null;
    });
    return isRead ? { kind: 'array', start, end: this.#at, items } : null;
  }

  /** Reads what stands between the brackets; false when it is no list. */
  #items(close: string, read: () => boolean): boolean {
    this.#at += 1;
    if (this.#take(close)) return true;
    do {
      if (!read()) return false;
    } while (this.#take(','));
    return this.#take(close);
  }

  #scalar(): TextNode | null {
    const start = this.#at;
    if (this.#text[start] === '"') return this.#quoted(start);
    WORD.lastIndex = start;
    if (!WORD.test(this.#text)) return null;
    this.#at = WORD.lastIndex;
    return { kind: 'other', start, end: this.#at };
  }

  // Not with an expression: one that skips escapes needs a stack as long as the text.
  #quoted(start: number): TextNode | null {
    let close = this.#text.indexOf('"', start + 1);
    while (close !== -1 && this.#isEscaped(close)) close = this.#text.indexOf('"', close + 1);
    if (close === -1) return null;
    this.#at = close + 1;
    return { kind: 'text', start, end: this.#at };
  }

  #isEscaped(at: number): boolean {
    let before = at;
    while (this.#text[before - 1] === '\\') before -= 1;
    return (at - before) % 2 === 1;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}
