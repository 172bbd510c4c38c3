import { inDocumentThread } from './document-thread';

/** Returns the texts of the paragraphs of a Word document's body, without those in tables. */
export function readWord(content: Uint8Array, signal: AbortSignal): Promise<readonly string[]> {
  return inDocumentThread({ program: 'office', task: 'read-word', content }, signal);
}
