import { ComponentError } from '@millrace/flow';
import { codePointCount, strip } from '@millrace/python-text';
import type { InterruptibleWork } from '../../parsing/run-in-slices';

/** How to split a text into chunks; sizes count characters. */
export interface SplitOptions {
  readonly chunkSize: number;
  /** The maximum part of a chunk that the next one repeats. */
  readonly chunkOverlap: number;
  /** Where a separator stays: at the start or at the end of a piece, or nowhere. */
  readonly keeps: 'start' | 'end' | 'nothing';
}

/** Overlapping chunks repeat characters: a large overlap could make gigabytes of a text. */
const maximumCharacters = 50_000_000;
/** What was made of a text so far. */
interface Made {
  characters: number;
}

/** Number of pieces that are processed before the work can be interrupted. */
const piecesPerStep = 256;

/**
 * Splits a text at a separator and joins the pieces to chunks of at most `chunkSize`; a larger piece stays whole.
 * Throws a ComponentError for invalid sizes.
 */
export function* splitCharacters(
  text: string,
  separator: string,
  options: SplitOptions,
): InterruptibleWork<readonly string[]> {
  checkSizes(options);
  const pieces = yield* splitAt(text, separator, options.keeps);
  return yield* mergePieces(pieces, gluing(separator, options), options, { characters: 0 });
}

/**
 * Splits a text at the first separator of the list that it contains, and pieces that are too large at the separators
 * after that one. The empty separator splits between all characters.
 */
export function* splitRecursively(
  text: string,
  separators: readonly string[],
  options: SplitOptions,
): InterruptibleWork<readonly string[]> {
  checkSizes(options);
  return yield* recursiveChunks(text, separators, options, { characters: 0 });
}

function* recursiveChunks(
  text: string,
  separators: readonly string[],
  options: SplitOptions,
  made: Made,
): InterruptibleWork<readonly string[]> {
  const found = separators.findIndex((separator) => separator === '' || text.includes(separator));
  const separator = separators[found] ?? separators.at(-1) ?? '';
  const further = found === -1 || separator === '' ? [] : separators.slice(found + 1);
  const glue = gluing(separator, options);
  const chunks: string[] = [];
  let small: string[] = [];
  const add = (more: readonly string[]): void => {
    for (const chunk of more) chunks.push(chunk);
  };
  for (const [index, piece] of (yield* splitAt(text, separator, options.keeps)).entries()) {
    if (index % piecesPerStep === 0) yield;
    if (codePointCount(piece) < options.chunkSize) {
      small.push(piece);
      continue;
    }
    add(yield* mergePieces(small, glue, options, made));
    small = [];
    add(further.length === 0 ? [piece] : yield* recursiveChunks(piece, further, options, made));
  }
  add(yield* mergePieces(small, glue, options, made));
  return chunks;
}

function checkSizes({ chunkSize, chunkOverlap }: SplitOptions): void {
  if (chunkSize <= 0) throw new ComponentError(`chunk_size must be > 0, got ${chunkSize}`);
  if (chunkOverlap < 0) throw new ComponentError(`chunk_overlap must be >= 0, got ${chunkOverlap}`);
  if (chunkOverlap > chunkSize) {
    throw new ComponentError(
      `Got a larger chunk overlap (${chunkOverlap}) than chunk size (${chunkSize}), should be smaller.`,
    );
  }
}

/** The text between two pieces, which joins them again. */
function gluing(separator: string, { keeps }: SplitOptions): string {
  return keeps === 'nothing' ? separator : '';
}

function* splitAt(
  text: string,
  separator: string,
  keeps: SplitOptions['keeps'],
): InterruptibleWork<readonly string[]> {
  const pieces: string[] = [];
  for (const piece of separator === '' ? text : piecesOf(text, separator, keeps)) {
    if (pieces.length % piecesPerStep === 0) yield;
    if (piece !== '') pieces.push(piece);
  }
  return pieces;
}

function* piecesOf(text: string, separator: string, keeps: SplitOptions['keeps']): Generator<string> {
  let from = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + separator.length)) {
    yield text.slice(from, keeps === 'end' ? at + separator.length : at);
    from = keeps === 'start' ? at : at + separator.length;
  }
  yield text.slice(from);
}

/** Joins pieces to chunks; each begins with the last pieces of the one before, as far as the overlap allows. */
function* mergePieces(
  pieces: readonly string[],
  glue: string,
  options: SplitOptions,
  made: Made,
): InterruptibleWork<readonly string[]> {
  const { chunkSize, chunkOverlap } = options;
  const lengths: number[] = [];
  const glueLength = codePointCount(glue);
  const chunks: string[] = [];
  const close = (from: number, to: number): void => {
    const chunk = strip(pieces.slice(from, to).join(glue));
    made.characters += chunk.length;
    if (made.characters > maximumCharacters) {
      throw new ComponentError(`The chunks hold more than ${maximumCharacters} characters.`);
    }
    if (chunk !== '') chunks.push(chunk);
  };
  let start = 0;
  let total = 0;
  for (const [index, piece] of pieces.entries()) {
    if (index % piecesPerStep === 0) yield;
    const length = codePointCount(piece);
    lengths.push(length);
    const grown = (): number => total + length + (index > start ? glueLength : 0);
    if (grown() > chunkSize && index > start) {
      close(start, index);
      while (total > chunkOverlap || (grown() > chunkSize && total > 0)) {
        total -= (lengths[start] ?? 0) + (index - start > 1 ? glueLength : 0);
        start += 1;
      }
    }
    total = grown();
  }
  close(start, pieces.length);
  return chunks;
}
