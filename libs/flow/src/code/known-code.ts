import knownCodeHashes from './known-code-hashes.json';

/** Hashes of published source texts, by component type: the first twelve hex digits of the SHA-256 of each text. */
export type CodeHashes = Readonly<Record<string, readonly string[]>>;

/** The newest Langflow release whose source texts are listed. */
export const newestListedRelease = '1.13.0';

/** The built-in list of hashes. */
export const publishedHashes: CodeHashes = knownCodeHashes;

/** Identifies published source texts: those of Langflow's components, in any of its releases. */
export interface KnownCode {
  /** Returns true when a text with this hash was published for one of these types. */
  has(types: readonly string[], hash: string): boolean;
  /** Returns true when Langflow ships one of these types, whether or not it is implemented here. */
  hasType(types: readonly string[]): boolean;
}

/**
 * Returns the texts of Langflow's releases up to {@link newestListedRelease}, of the flows it ships, and of unedited
 * nodes in shared flows of unrelated authors, together with `more`.
 */
export function knownCode(more: CodeHashes = {}): KnownCode {
  const added = new Map(Object.entries(more).map(([type, hashes]) => [type, new Set(hashes)]));
  const isListed = (type: string, hash: string) =>
    builtIn.get(type)?.has(hash) === true || added.get(type)?.has(hash) === true;
  return {
    has: (types, hash) => types.some((type) => isListed(type, hash)),
    hasType: (types) => types.some((type) => builtIn.has(type) || added.has(type)),
  };
}

const builtIn: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(publishedHashes).map(([type, hashes]) => [type, new Set(hashes)]),
);
