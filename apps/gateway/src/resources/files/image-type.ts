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

/** Returns the media type of an image by its file extension; null for other files. */
export function imageType(extension: string): string | null {
  return types.get(extension.toLowerCase()) ?? null;
}
