import { createHash } from 'node:crypto';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import type { PythonObject } from '@millrace/python-text';

/**
 * Returns a digest of a tool call's arguments (16 hex digits). A retried attempt can make the same calls in another
 * order; the digest identifies them.
 */
export function argumentsDigest(callArguments: PythonObject): string {
  return createHash('sha256').update(jsonDumpsCompactAscii(callArguments)).digest('hex').slice(0, 16);
}
