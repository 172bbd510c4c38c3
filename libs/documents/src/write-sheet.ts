import { inDocumentThread } from './document-thread';

/** Returns a workbook (xlsx) with these rows in a single sheet. */
export async function writeSheet(
  rows: readonly (readonly (null | boolean | number | string)[])[],
  signal: AbortSignal,
): Promise<Buffer> {
  const task = { program: 'sheet-writer', task: 'write', content: rows } as const;
  return Buffer.from(await inDocumentThread<Uint8Array>(task, signal));
}
