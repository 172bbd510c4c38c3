/** Returns the text that a JSON Pointer finds in a value: a string as it is, another value as JSON; '' for nothing. */
export function textAt(value: unknown, pointer: string): string {
  let found = value;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return '';
    if (Array.isArray(found) && key === 'length') return '';
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  if (typeof found === 'string') return found;
  return found === undefined || found === null ? '' : JSON.stringify(found);
}
