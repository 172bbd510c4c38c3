import knownCodeHashes from './known-code-hashes.json';

/** Hashes of published source texts, by component type: the first twelve hex digits of the SHA-256 of each text. */
export type CodeHashes = Readonly<Record<string, readonly string[]>>;

/** The newest Langflow release whose texts are built in. */
export const newestListedRelease = '1.13.0';

/** The texts that are built in. */
export const publishedHashes: CodeHashes = knownCodeHashes;

/** Which source texts are published: those of a component that Langflow ships, in one of its releases. */
export interface KnownCode {
  /** True when the text of this hash was published for one of these types. */
  has(types: readonly string[], hash: string): boolean;
  /** True when one of these types is one that Langflow ships, whether or not there is a component for it here. */
  hasType(types: readonly string[]): boolean;
}

/**
 * The texts of Langflow's releases up to {@link newestListedRelease}, of the flows it ships, and of unedited nodes that flows of unrelated
 * authors share, together with `more`.
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
