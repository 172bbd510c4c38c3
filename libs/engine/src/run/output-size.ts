import { RunError, isJsonWithin } from '@millrace/flow';

/** Throws when a response is larger than allowed, in bytes of JSON without its escapes. */
export function checkOutputSize(answer: unknown, maximumBytes: number): void {
  if (!isJsonWithin(answer, maximumBytes)) {
    throw new RunError('output_too_large', `The response is larger than ${maximumBytes} bytes.`);
  }
}
