import { isUtf8 } from 'node:buffer';

/**
 * Returns the value of a header as the sender wrote it. Node.js reads each byte as a character of Latin-1; bytes that are
 * valid UTF-8 and not ASCII are nearly never meant so.
 */
export function headerText(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
