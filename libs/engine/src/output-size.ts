import { RunError, bytesLeftAfter } from '@millrace/flow';

/** Refuses an answer that is larger than it may be, counted in bytes of JSON without its escapes. */
export function checkOutputSize(answer: unknown, maximumBytes: number): void {
  if (bytesLeftAfter(answer, maximumBytes) < 0) {
    throw new RunError('output_too_large', `The answer is larger than ${maximumBytes} bytes.`);
  }
}
