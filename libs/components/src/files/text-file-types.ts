/** Extensions of files that are read as texts, in the order in which errors list them. */
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

/** Extensions that Langflow reads with its Advanced Parser only, and that are not read here. */
export const advancedFileTypes: ReadonlySet<string> = new Set([
  ...['adoc', 'asciidoc', 'asc', 'bmp', 'docm', 'dotm', 'dotx', 'jpeg', 'jpg', 'png', 'potm', 'potx', 'ppsm'],
  ...['ppsx', 'pptm', 'pptx', 'tiff', 'webp', 'xhtml', 'xls'],
]);

/** Extensions of archives, whose files are read in their place. */
export const archiveTypes: ReadonlySet<string> = new Set(['zip', 'tar', 'tgz', 'gz', 'bz2']);

/** The extension of a name in small letters, without its dot; empty when it has none. */
export function extensionOf(name: string): string {
  const plain = name.slice(name.lastIndexOf('/') + 1);
  const dot = plain.lastIndexOf('.');
  return dot <= 0 ? '' : plain.slice(dot + 1).toLowerCase();
}
