import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { reencryptCanary } from './check-encryption-key';
import { encryptedPages, encryptedPlaces, encryptedValues, replaceEncryptedValues } from './encrypted-values';
import type { EncryptedHead, EncryptedPlace } from './encrypted-values';
import { Encryption } from './encryption';

const MAXIMUM_NAMED = 20;

export interface EncryptedValuesWork {
  readonly database: Database;
  readonly encryption: Encryption;
  /** All unless given. */
  readonly places?: readonly EncryptedPlace[];
  readonly signal?: AbortSignal;
  /** Called after each page of rows. */
  readonly onProgress?: (place: EncryptedPlace, rows: number) => void;
}

/** The encrypted values of one place. */
export interface EncryptedCounts {
  readonly place: EncryptedPlace;
  /** Encrypted with the first key. */
  current: number;
  /** Encrypted with another one of the keys. */
  older: number;
  /** None of the keys decrypts them. */
  unreadable: number;
  /** The ids of the keys that encrypted the values, with the number of values. */
  readonly byKey: Record<string, number>;
  /** The first 20 unreadable values. */
  readonly named: { readonly id: string; readonly label: string }[];
}

/** Decrypts each value and counts which key opens it. Changes nothing. */
export async function countEncryptedValues(work: EncryptedValuesWork): Promise<readonly EncryptedCounts[]> {
  return eachPlace(work, async (heads, counts) => {
    for await (const values of encryptedValues(work.database, counts.place, heads))
      for (const value of values)
        count(counts, value, work.encryption.canDecrypt(value.value), work.encryption);
  });
}

export interface ReencryptedCounts extends EncryptedCounts {
  /** How many values were encrypted again. */
  reencrypted: number;
}

/**
 * Encrypts each value that another key encrypted with the first key, page by page: services read and write meanwhile, and a
 * value that they changed after it was read is left to a further call. Interrupted, the next call continues: values that
 * the first key encrypted are not written. The counts are those after the work; unreadable values stay as they are.
 */
export async function reencryptValues(work: EncryptedValuesWork): Promise<readonly ReencryptedCounts[]> {
  const { database, encryption } = work;
  const reencrypted = new Map<EncryptedPlace, number>();
  const counted = await eachPlace(work, async (heads, counts) => {
    const { place } = counts;
    const older = heads.filter(({ head }) => !encryption.isEncryptedWithFirstKey(head));
    for (const head of heads) if (!older.includes(head)) count(counts, head, true, encryption);
    for await (const values of encryptedValues(database, place, older)) {
      const readable = values.flatMap((value) => {
        const text = encryption.tryDecrypt(value.value);
        if (text === null) count(counts, value, false, encryption);
        return text === null ? [] : [{ ...value, replacement: encryption.encrypt(text) }];
      });
      if (readable.length === 0) continue;
      const replaced = await retryOnDeadlock(() => replaceEncryptedValues(database, place, readable));
      reencrypted.set(place, (reencrypted.get(place) ?? 0) + replaced.size);
      for (const { replacement, ...value } of readable) {
        const head = replaced.has(value.position) ? replacement : value.head;
        count(counts, { ...value, head }, true, encryption);
      }
    }
  });
  await reencryptCanary(database, encryption);
  return counted.map((counts) => ({ ...counts, reencrypted: reencrypted.get(counts.place) ?? 0 }));
}

async function eachPlace(
  { database, places = encryptedPlaces, signal, onProgress }: EncryptedValuesWork,
  visit: (heads: readonly EncryptedHead[], counts: EncryptedCounts) => Promise<void>,
): Promise<readonly EncryptedCounts[]> {
  const all: EncryptedCounts[] = [];
  for (const place of places) {
    const counts: EncryptedCounts = { place, current: 0, older: 0, unreadable: 0, byKey: {}, named: [] };
    let rows = 0;
    for await (const page of encryptedPages(database, place)) {
      signal?.throwIfAborted();
      await visit(page.heads, counts);
      rows += page.rows;
      onProgress?.(place, rows);
    }
    all.push(counts);
  }
  return all;
}

function count(
  counts: EncryptedCounts,
  { position, label, head }: EncryptedHead,
  isReadable: boolean,
  encryption: Encryption,
): void {
  const key = Encryption.keyIdOf(head);
  counts.byKey[key] = (counts.byKey[key] ?? 0) + 1;
  if (!isReadable) {
    counts.unreadable += 1;
    if (counts.named.length < MAXIMUM_NAMED) counts.named.push({ id: position, label });
  } else if (encryption.isEncryptedWithFirstKey(head)) counts.current += 1;
  else counts.older += 1;
}
