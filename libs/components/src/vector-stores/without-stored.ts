import { jsonValue } from '@millrace/flow';
import type { PythonObject } from '@millrace/flow';
import { scalarMetadata } from './json-metadata';

interface Stored {
  readonly text: string;
  readonly metadata: PythonObject;
}

/** The texts that are not stored already with the same metadata, as far as those are plain values. */
export function withoutStored<Text extends Stored>(
  texts: readonly Text[],
  stored: readonly Stored[],
): readonly Text[] {
  const known = new Set(stored.map(keyOf));
  return texts.filter((text) => !known.has(keyOf(text)));
}

function keyOf({ text, metadata }: Stored): string {
  const entries = Object.entries(scalarMetadata(metadata)).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([text, jsonValue(entries)]);
}
