import { inDocumentThread } from './document-thread';

/** An XML text in the one spelling that Python's ElementTree writes: no declaration, no comments, prefixes of its own. */
export function reserializeXml(text: string, signal: AbortSignal): Promise<string> {
  return inDocumentThread({ program: 'markup', task: 'xml', content: text }, signal);
}
