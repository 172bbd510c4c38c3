/** Parses JSON of one row among those of several users; null for what is not an object, so that the others can be read. */
export function parsedObject(text: string | null): object | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
