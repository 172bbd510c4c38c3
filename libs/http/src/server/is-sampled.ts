const OFFSET = 0x81_1c_9d_c5;
const PRIME = 0x01_00_01_93;
const RANGE = 2 ** 32;

/** Whether an id belongs to a share of all ids. Every process decides equally. An unknown id belongs to each share above 0. */
export function isSampled(id: string | null, share: number): boolean {
  if (share >= 1 || id === null) return share > 0;
  let hash = OFFSET;
  for (let index = 0; index < id.length; index += 1)
    hash = Math.imul(hash ^ id.charCodeAt(index), PRIME) >>> 0;
  // The last characters have changed the low bits only.
  hash = Math.imul(hash ^ (hash >>> 15), PRIME) >>> 0;
  return (hash ^ (hash >>> 13)) >>> 0 < share * RANGE;
}
