import { createHash } from 'node:crypto';
import { jsonDumpsCompactAscii } from '../python/dump-json';
import type { PythonObject } from '../values/python-value';

/** Tells calls of a tool apart by what they say: a model may make the same ones in another order. 16 hex digits. */
export function argumentsDigest(callArguments: PythonObject): string {
  return createHash('sha256').update(jsonDumpsCompactAscii(callArguments)).digest('hex').slice(0, 16);
}
