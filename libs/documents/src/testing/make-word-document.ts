import { makeZip } from './make-zip';

/** Returns a Word document with this XML as its body; the prefix `w` is declared. */
export function makeWordDocument(body: string): Buffer {
  const schema = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  return makeZip({
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="${schema}"><w:body>${body}</w:body></w:document>`,
  });
}
