import type { PythonObject } from '@millrace/python-text';
import { extensionOf } from '../formats/text-file-types';

const contentTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  htm: 'text/html',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mdx: 'text/mdx',
  pdf: 'application/pdf',
  py: 'text/x-python',
  sh: 'text/x-sh',
  sql: 'text/x-sql',
  ts: 'text/typescript',
  tsx: 'text/typescript',
  txt: 'text/plain',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
};

/** Returns the metadata of a file in a message: its name, its size in bytes and its MIME type. */
export function fileMetadata(path: string, sizeBytes: number): PythonObject {
  const mimetype = contentTypes[extensionOf(path)] ?? 'application/octet-stream';
  return { filename: path.slice(path.lastIndexOf('/') + 1), file_size: sizeBytes, mimetype };
}
