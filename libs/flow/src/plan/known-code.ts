import { createHash } from 'node:crypto';
import knownCodeHashes from './known-code-hashes.json';

/** First twelve hex digits of the SHA-256 of every published source text of a component, by component type. */
const hashesByType: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(knownCodeHashes).map(([type, hashes]) => [type, new Set(hashes)]),
);

/**
 * True when a node's Python source is one that was published for this type, or when it carries none. Only the text
 * counts: the hash and the `edited` mark a file may hold beside it are often stale.
 */
export function isKnownCode(types: readonly string[], code: string): boolean {
  if (code === '') return true;
  const hash = createHash('sha256').update(code, 'utf8').digest('hex').slice(0, 12);
  return types.some((type) => hashesByType.get(type)?.has(hash) ?? false);
}
