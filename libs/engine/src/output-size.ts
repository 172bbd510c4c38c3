import { RunError } from '@millrace/flow';

/** Refuses an answer that is larger than it may be, counted in bytes of JSON without its escapes. */
export function checkOutputSize(answer: unknown, maximumBytes: number): void {
  if (sizeWithin(answer, maximumBytes) < 0) {
    throw new RunError('output_too_large', `The answer is larger than ${maximumBytes} bytes.`);
  }
}

/** What is left of a number of bytes when a value has been written, below 0 as soon as there is nothing left. */
function sizeWithin(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - Buffer.byteLength(value) - 2;
  if (typeof value !== 'object' || value === null) return bytes - 4;
  let left = bytes - 2;
  if (Array.isArray(value)) {
    for (const element of value) {
      left = sizeWithin(element, left - 1);
      if (left < 0) return left;
    }
    return left;
  }
  for (const key in value) {
    left = sizeWithin((value as Readonly<Record<string, unknown>>)[key], left - key.length - 4);
    if (left < 0) return left;
  }
  return left;
}
