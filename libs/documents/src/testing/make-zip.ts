import { strToU8, zipSync } from 'fflate';

/** Returns a ZIP archive of these texts, by name. */
export function makeZip(parts: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const entries = Object.entries(parts).map(([name, part]) => [
    name,
    typeof part === 'string' ? strToU8(part) : part,
  ]);
  return Buffer.from(zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>));
}
