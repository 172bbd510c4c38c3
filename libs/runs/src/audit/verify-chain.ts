import type { AuditEntry, ChainLink } from './audit-entry';
import { entryHash } from './entry-hash';

const BEFORE_THE_FIRST: ChainLink = { position: 0, hash: '0'.repeat(64) };

export interface ChainExpectation {
  /** The entry after which the entries begin; the first entry's own statement unless given. */
  readonly pruned?: ChainLink | undefined;
  /** The entry that must be the last one. */
  readonly head?: ChainLink | undefined;
  /** Entries that the chain must contain: places that were kept elsewhere. */
  readonly contains?: readonly ChainLink[];
}

/** The first place where the chain is broken, or what was verified. */
export type ChainVerdict =
  | { readonly isIntact: true; readonly entries: number; readonly last: ChainLink }
  | { readonly isIntact: false; readonly position: number; readonly reason: string };

/** Verifies entries in the order of their positions, with one page in memory at a time. */
export async function verifyChain(
  pages: AsyncIterable<readonly AuditEntry[]>,
  { pruned, head, contains = [] }: ChainExpectation,
): Promise<ChainVerdict> {
  const missing = new Map(contains.map((link) => [link.position, link.hash]));
  let last = pruned;
  let entries = 0;
  if (last !== undefined) missing.delete(matching(last, missing));
  for await (const page of pages) {
    for (const entry of page) {
      last ??=
        entry.position === 1 ? BEFORE_THE_FIRST : { position: entry.position - 1, hash: entry.previousHash };
      const reason = brokenLink(entry, last) ?? brokenKept(entry, missing);
      if (reason !== null) return { isIntact: false, position: entry.position, reason };
      missing.delete(entry.position);
      last = { position: entry.position, hash: entry.hash };
      entries += 1;
    }
  }
  last ??= BEFORE_THE_FIRST;
  return unfinished(last, { head, missing }) ?? { isIntact: true, entries, last };
}

function brokenLink(entry: AuditEntry, last: ChainLink): string | null {
  if (entry.position > last.position + 1)
    return `the entry at position ${last.position + 1} is missing before it`;
  if (entry.position <= last.position) return `it follows the entry at position ${last.position}`;
  if (entry.previousHash !== last.hash) return 'it does not contain the hash of the entry before it';
  return entryHash(entry) === entry.hash ? null : 'its content does not have its hash';
}

function brokenKept({ position, hash }: ChainLink, kept: ReadonlyMap<number, string>): string | null {
  const expected = kept.get(position);
  return expected === undefined || expected === hash
    ? null
    : `its hash is ${hash}, and the hash that was kept is ${expected}`;
}

/** Returns the position of a kept place that this link proves; 0 when none does. */
function matching({ position, hash }: ChainLink, kept: ReadonlyMap<number, string>): number {
  return kept.get(position) === hash ? position : 0;
}

function unfinished(
  last: ChainLink,
  { head, missing }: { readonly head: ChainLink | undefined; readonly missing: ReadonlyMap<number, string> },
): ChainVerdict | null {
  if (head !== undefined && head.position !== last.position) {
    const position = Math.min(head.position, last.position) + 1;
    return { isIntact: false, position, reason: `the last entry must be at position ${head.position}` };
  }
  if (head !== undefined && head.hash !== last.hash) {
    return { isIntact: false, position: last.position, reason: 'the end of the chain has another hash' };
  }
  const [position] = missing.keys();
  if (position === undefined) return null;
  return { isIntact: false, position, reason: 'the entry whose hash was kept is not among the entries' };
}
