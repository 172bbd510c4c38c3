import { jsonValue } from '@millrace/flow';
import type { PythonObject } from '@millrace/python-text';
import { scalarMetadata } from '../../integrations/vector-stores/json-metadata';
import type { FoundText, NewText } from '../../integrations/vector-stores/vector-store';

/** A stored text without its vector. */
export type StoredEntry = Pick<FoundText, 'text' | 'metadata'>;

/** The number of stored texts that new ones are compared with, unless a node sets a lower limit. */
export const maximumCompared = 10_000;

/**
 * Returns the texts that are not yet stored with the same metadata; only plain values of those are compared. `list`
 * returns stored texts up to a limit; `limit` is the node's setting, where 0 and null mean the default.
 */
export async function excludeStored(
  texts: readonly NewText[],
  list: (limit: number) => Promise<readonly StoredEntry[]>,
  limit: number | null,
): Promise<readonly NewText[]> {
  if (texts.length === 0) return texts;
  const compared = limit === null || limit <= 0 ? maximumCompared : Math.min(limit, maximumCompared);
  const known = new Set((await list(compared)).map(keyOf));
  return texts.filter((text) => !known.has(keyOf(text)));
}

function keyOf({ text, metadata }: { readonly text: string; readonly metadata: PythonObject }): string {
  const entries = Object.entries(scalarMetadata(metadata)).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([text, jsonValue(entries)]);
}
