/** Extensions of files that can be read as text, in the order of error messages. */
export const textFileTypes: readonly string[] = [
  'csv',
  'json',
  'pdf',
  'txt',
  'md',
  'mdx',
  'yaml',
  'yml',
  'xml',
  'html',
  'htm',
  'docx',
  'py',
  'sh',
  'sql',
  'js',
  'ts',
  'tsx',
];

/** Extensions that Langflow reads only with its Advanced Parser; they are not supported. */
export const advancedFileTypes: ReadonlySet<string> = new Set([
  'adoc',
  'asciidoc',
  'asc',
  'bmp',
  'docm',
  'dotm',
  'dotx',
  'jpeg',
  'jpg',
  'png',
  'potm',
  'potx',
  'ppsm',
  'ppsx',
  'pptm',
  'pptx',
  'tiff',
  'webp',
  'xhtml',
  'xls',
]);

/** Extensions of archives, which are replaced by their files. */
export const archiveTypes: ReadonlySet<string> = new Set(['zip', 'tar', 'tgz', 'gz', 'bz2']);

/** Returns the extension of a name in lower case without its dot; empty when it has none. */
export function extensionOf(name: string): string {
  const plain = name.slice(name.lastIndexOf('/') + 1);
  const dot = plain.lastIndexOf('.');
  return dot <= 0 ? '' : plain.slice(dot + 1).toLowerCase();
}
