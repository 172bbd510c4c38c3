import { jsonValue } from '@millrace/flow';
import type { PythonObject } from '@millrace/flow';
import { scalarMetadata } from './json-metadata';
import type { FoundText, NewText } from './vector-store';

/** What a store holds, without vectors. */
export type Held = Pick<FoundText, 'text' | 'metadata'>;

/** How many stored texts new ones are compared with, unless a node names fewer. */
export const mostCompared = 10_000;

/**
 * The texts that are not stored already with the same metadata, as far as those are plain values. `list` gives what is
 * stored, at most so many; `limit` is what the node says of that, 0 and null being nothing.
 */
export async function withoutStored(
  texts: readonly NewText[],
  list: (limit: number) => Promise<readonly Held[]>,
  limit: number | null,
): Promise<readonly NewText[]> {
  if (texts.length === 0) return texts;
  const compared = limit === null || limit <= 0 ? mostCompared : Math.min(limit, mostCompared);
  const known = new Set((await list(compared)).map(keyOf));
  return texts.filter((text) => !known.has(keyOf(text)));
}

function keyOf({ text, metadata }: { readonly text: string; readonly metadata: PythonObject }): string {
  const entries = Object.entries(scalarMetadata(metadata)).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([text, jsonValue(entries)]);
}
