import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One change of a file system, as record-writes.cjs writes it down. */
export type Change =
  | { readonly change: 'make'; readonly kind: 'file' | 'folder'; readonly path: string; readonly ino: number }
  | { readonly change: 'write'; readonly ino: number; readonly position: number; readonly bytes: Buffer }
  | { readonly change: 'truncate'; readonly ino: number; readonly size: number }
  | { readonly change: 'sync'; readonly ino: number }
  | { readonly change: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly change: 'remove'; readonly path: string };

interface Timed {
  readonly at: bigint;
  readonly change: Change;
}

/** The changes that all threads of a process made, in order; what was cut off by the end of the process is left out. */
export function readRecords(folder: string): Change[] {
  const records = readdirSync(folder).flatMap((name) => recordsOf(readFileSync(join(folder, name))));
  return records.sort((one, other) => (one.at < other.at ? -1 : 1)).map(({ change }) => change);
}

function recordsOf(bytes: Buffer): Timed[] {
  const records: Timed[] = [];
  for (let position = 0; position + 4 <= bytes.length;) {
    const content = position + 4 + bytes.readUInt32BE(position);
    if (content > bytes.length) break;
    const { at, length, ...header } = JSON.parse(bytes.toString('utf8', position + 4, content)) as {
      readonly at: string;
      readonly length: number;
    };
    position = content + length;
    if (position > bytes.length) break;
    const change = { ...header, bytes: bytes.subarray(content, position) } as unknown as Change;
    records.push({ at: BigInt(at), change });
  }
  return records;
}
