import type { Sliceable } from './in-slices';
import { textPieces } from './text-pieces';

/** What becomes of a text when each of its pieces is changed; see `textPieces` for where they end. */
export function* mapPieces(text: string, change: (piece: string) => string): Sliceable<string> {
  const changed: string[] = [];
  for (const piece of textPieces(text)) {
    changed.push(change(piece));
    yield;
  }
  return changed.join('');
}
