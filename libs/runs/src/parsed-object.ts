/** Parses JSON of one row among those of several users; null for what is not JSON, so that the others can be read. */
export function parsedJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** As `parsedJson`; null for what is not an object. */
export function parsedObject(text: string | null): object | null {
  const value = parsedJson(text);
  return typeof value === 'object' ? value : null;
}
