import { readPdf } from '@millrace/documents';
import { str } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';
import type { OpenFile } from './open-files';
import { readFileText } from './read-file-text';
import { extensionOf } from '../formats/text-file-types';

/** Returns a row for each PDF page or paragraph of another file, with the columns of Langflow's Advanced Parser. */
export async function filePieces(file: OpenFile, signal: AbortSignal): Promise<readonly PythonObject[]> {
  if (extensionOf(file.path) === 'pdf') {
    const pages = await readPdf(file.content, signal);
    return pages.map((text, index) => piece(file, index + 1, text));
  }
  const paragraphs = str(await readFileText(file, signal)).split(/\n{2,}/);
  return paragraphs.filter((text) => text !== '').map((text) => piece(file, null, text));
}

function piece({ path }: OpenFile, page: number | null, text: string): PythonObject {
  return { file_path: path, page_no: page, label: 'text', text, level: null };
}
