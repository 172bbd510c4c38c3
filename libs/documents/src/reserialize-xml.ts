import { inDocumentThread } from './document-thread';

/**
 * Returns an XML text in the form that Python's ElementTree writes: no declaration, no comments, generated prefixes.
 */
export function reserializeXml(text: string, signal: AbortSignal): Promise<string> {
  return inDocumentThread({ program: 'markup', task: 'xml', content: text }, signal);
}
