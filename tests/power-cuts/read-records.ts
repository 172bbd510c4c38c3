import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One change of a file system, as recorded by record-writes.cjs. */
export type Change =
  | { readonly change: 'make'; readonly kind: 'file' | 'folder'; readonly path: string; readonly ino: number }
  | { readonly change: 'write'; readonly ino: number; readonly position: number; readonly bytes: Buffer }
  | { readonly change: 'truncate'; readonly ino: number; readonly size: number }
  | { readonly change: 'sync'; readonly ino: number }
  | { readonly change: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly change: 'remove'; readonly path: string };

interface TimedChange {
  readonly at: bigint;
  readonly change: Change;
}

/** Returns the changes of all threads of a process in order, without records that the end of the process truncated. */
export function readRecords(folder: string): Change[] {
  const records = readdirSync(folder).flatMap((name) => recordsOf(readFileSync(join(folder, name))));
  return records.sort((one, other) => (one.at < other.at ? -1 : 1)).map(({ change }) => change);
}

function recordsOf(bytes: Buffer): TimedChange[] {
  const records: TimedChange[] = [];
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
