import { randomUUID } from 'node:crypto';

/** A text from this length is written once. Looking for shorter ones costs more than copying them. */
const LONG_TEXT = 2_048;
/** Stands for a long text. No flow can know it, so none can return it. */
const MARK = `millrace-text-${randomUUID()}-`;
const MARKED = new RegExp(`${MARK}(\\d+)`);

/** A JSON text in UTF-8 that contains long texts several times: each of them stands here once. */
export class DeduplicatedText {
  /** The long texts, as they stand between quotes. */
  readonly texts: readonly Buffer[];
  /** What stands around them: before the first, between two of them, and after the last. */
  readonly pieces: readonly Buffer[];
  /** For each place between two pieces the number of its text. */
  readonly order: readonly number[];
  /** Bytes of the whole text. */
  readonly length: number;

  /** Throws RangeError when the parts do not fit together. */
  constructor(texts: readonly Buffer[], pieces: readonly Buffer[], order: readonly number[]) {
    if (pieces.length !== order.length + 1)
      throw new RangeError(`${pieces.length} pieces do not surround ${order.length} texts`);
    let length = 0;
    for (const piece of pieces) length += piece.length;
    for (const index of order) length += textAt(texts, index).length;
    this.texts = texts;
    this.pieces = pieces;
    this.order = order;
    this.length = length;
  }

  /** Returns the bytes in order. Each text is the same buffer wherever it occurs. */
  slices(): Buffer[] {
    const { texts, pieces, order } = this;
    return pieces.flatMap((piece, place) => {
      const index = order[place];
      return index === undefined ? [piece] : [piece, textAt(texts, index)];
    });
  }

  /** Returns the whole text with `mark(index)` in place of each long text. */
  marked(mark: (index: number) => string): string {
    const { pieces, order } = this;
    return pieces
      .map((piece, place) => {
        const index = order[place];
        return piece.toString() + (index === undefined ? '' : mark(index));
      })
      .join('');
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.slices(), this.length);
  }

  toString(): string {
    const texts = this.texts.map((text) => text.toString());
    return this.marked((index) => texts[index] ?? '');
  }
}

/** The long ones among the texts of a run. Each is escaped once for all JSON texts that contain it. */
export class LongTexts {
  readonly #numbers = new Map<string, number>();
  readonly #escaped: Buffer[] = [];

  /** Short texts are ignored. */
  constructor(texts: Iterable<string>) {
    for (const text of texts)
      if (text.length >= LONG_TEXT && !this.#numbers.has(text)) this.#numbers.set(text, this.#numbers.size);
  }

  has(text: string): boolean {
    return text.length >= LONG_TEXT && this.#numbers.has(text);
  }

  /** Returns `JSON.stringify(value)` as UTF-8; null without long texts. */
  write(value: unknown): DeduplicatedText | null {
    if (this.#numbers.size === 0) return null;
    const marked = JSON.stringify(value, (_, member: unknown) => {
      const isLong = typeof member === 'string' && member.length >= LONG_TEXT;
      const number = isLong ? this.#numbers.get(member) : undefined;
      return number === undefined ? member : `${MARK}${number}`;
    });
    // The numbers of long texts are at odd positions.
    const parts = marked.split(MARKED);
    return new DeduplicatedText(
      this.#all(),
      parts.filter((_, position) => position % 2 === 0).map((piece) => Buffer.from(piece)),
      parts.filter((_, position) => position % 2 === 1).map(Number),
    );
  }

  #all(): readonly Buffer[] {
    if (this.#escaped.length === 0)
      for (const text of this.#numbers.keys())
        this.#escaped.push(Buffer.from(JSON.stringify(text)).subarray(1, -1));
    return this.#escaped;
  }
}

function textAt(texts: readonly Buffer[], index: number): Buffer {
  const text = texts[index];
  if (text === undefined) throw new RangeError(`there is no text ${index}`);
  return text;
}

/** Lengths of the texts, lengths of the pieces, and the order. */
type Layout = readonly [readonly number[], readonly number[], readonly number[]];

/**
 * Writes the text as the body of a reply and the value of its header `x-texts`: the body consists of the long texts, then of
 * the pieces; the header is a JSON list of their lengths in bytes, in two lists, and of the order.
 */
export function writeDeduplicatedText({ texts, pieces, order }: DeduplicatedText): {
  layout: string;
  body: Buffer;
} {
  const lengths = (buffers: readonly Buffer[]) => buffers.map(({ length }) => length);
  const layout: Layout = [lengths(texts), lengths(pieces), order];
  return { layout: JSON.stringify(layout), body: Buffer.concat([...texts, ...pieces]) };
}

/** Reads what `writeDeduplicatedText` wrote. The parts share the memory of the body. Throws when the two do not fit together. */
export function readDeduplicatedText(layout: string, body: Buffer): DeduplicatedText {
  const [texts, pieces, order] = JSON.parse(layout) as Layout;
  let at = 0;
  const take = (length: number) => body.subarray(at, (at += length));
  const text = new DeduplicatedText(texts.map(take), pieces.map(take), order);
  if (at !== body.length) throw new RangeError(`A body of ${body.length} bytes has a layout of ${at} bytes.`);
  return text;
}
