import { inDocumentThread } from './document-thread';

/** Returns the text of each page of a PDF, without its images. Throws as inDocumentThread does. */
export function readPdf(content: Uint8Array, signal: AbortSignal): Promise<readonly string[]> {
  return inDocumentThread({ program: 'pdf', task: 'read', content }, signal);
}
