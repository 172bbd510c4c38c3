import { inDocumentThread } from './document-thread';

/** A workbook (xlsx) with these rows in its one sheet. */
export async function writeSheet(
  rows: readonly (readonly (null | boolean | number | string)[])[],
  signal: AbortSignal,
): Promise<Buffer> {
  const task = { program: 'sheet-writer', task: 'write', content: rows } as const;
  return Buffer.from(await inDocumentThread<Uint8Array>(task, signal));
}
