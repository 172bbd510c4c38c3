const types: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.webp', 'image/webp'],
  ['.bmp', 'image/bmp'],
  ['.svg', 'image/svg+xml'],
]);

export const imageTypes: readonly string[] = [...new Set(types.values())];

/** The media type of a picture by its file's extension; null for what is none. */
export function imageType(extension: string): string | null {
  return types.get(extension.toLowerCase()) ?? null;
}
