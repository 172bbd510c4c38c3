import { inDocumentThread } from './document-thread';

/** A file of an archive; its name has slashes where it lies in a folder. */
export interface ArchiveEntry {
  readonly name: string;
  readonly content: Uint8Array;
}

/** The files of a ZIP, tar or gzipped tar archive; null for anything else. */
export function unpackArchive(
  content: Uint8Array,
  signal: AbortSignal,
): Promise<readonly ArchiveEntry[] | null> {
  return inDocumentThread({ program: 'archive', task: 'unpack', content }, signal);
}
