import type { NodeCode } from '../document/flow-document';
import knownCodeHashes from './known-code-hashes.json';

/**
 * First twelve hex digits of the SHA-256 of every published source text of a component, by component type: those of
 * Langflow's history, of the flows it ships, and of unedited nodes that flows of unrelated authors share.
 */
const hashesByType: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(knownCodeHashes).map(([type, hashes]) => [type, new Set(hashes)]),
);

/**
 * True when a node's Python source is one that was published for one of these types, or when nothing is known of it. A
 * hash alone says nothing of a type that was never published. The `edited` mark of a file does not count: it is often
 * stale.
 */
export function isKnownCode(
  types: readonly string[],
  { hash, isCarried }: Pick<NodeCode, 'hash' | 'isCarried'>,
): boolean {
  if (hash === '') return true;
  if (!isCarried && !types.some(isPublishedType)) return true;
  return types.some((type) => hashesByType.get(type)?.has(hash) ?? false);
}

/** True for a type that Langflow ships, whether or not there is a component for it here. */
function isPublishedType(type: string): boolean {
  return hashesByType.has(type);
}
