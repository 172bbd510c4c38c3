import type { InterruptibleWork } from '../../parsing/run-in-slices';
import { textPieces } from './text-pieces';

/** Applies a function to each piece of a text and joins the results; `textPieces` defines the pieces. */
export function* mapPieces(text: string, change: (piece: string) => string): InterruptibleWork<string> {
  const changed: string[] = [];
  for (const piece of textPieces(text)) {
    changed.push(change(piece));
    yield;
  }
  return changed.join('');
}
