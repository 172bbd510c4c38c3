import { inDocumentThread } from './document-thread';

/** A file of an archive; its name contains slashes if it is in a folder. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: Uint8Array;
}

/** Returns the files of a ZIP, tar or gzipped tar archive; null for any other file. */
export function unpackArchive(
  content: Uint8Array,
  signal: AbortSignal,
): Promise<readonly ArchiveEntry[] | null> {
  return inDocumentThread({ program: 'archive', task: 'unpack', content }, signal);
}
