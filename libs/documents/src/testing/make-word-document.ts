import { makeZip } from './make-zip';

/** A Word document whose body is this XML, the prefix `w` declared. */
export function makeWordDocument(body: string): Buffer {
  const schema = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  return makeZip({
    'word/document.xml': `<?xml version="1.0"?><w:document xmlns:w="${schema}"><w:body>${body}</w:body></w:document>`,
  });
}
