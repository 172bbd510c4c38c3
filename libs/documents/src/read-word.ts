import { inDocumentThread } from './document-thread';

/** The texts of the paragraphs of a Word document's body; those in tables are not among them. */
export function readWord(content: Uint8Array, signal: AbortSignal): Promise<readonly string[]> {
  return inDocumentThread({ program: 'office', task: 'read-word', content }, signal);
}
