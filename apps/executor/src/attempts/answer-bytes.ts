import { RunError } from '@millrace/flow';
import type { DeduplicatedText, LongTexts } from '@millrace/messages';

/**
 * Returns `JSON.stringify(answer)` as UTF-8. `texts` are those that the answer can contain several times: an answer in
 * Langflow's form contains each message six times. Throws output_too_large for more than `maximumBytes`, which the message
 * broker would refuse, so that the caller would never receive the answer.
 */
export function answerBytes(
  answer: unknown,
  { texts, maximumBytes }: { readonly texts: LongTexts; readonly maximumBytes: number },
): Buffer | DeduplicatedText {
  const bytes = texts.write(answer) ?? Buffer.from(JSON.stringify(answer));
  if (bytes.length > maximumBytes)
    throw new RunError('output_too_large', `The response is larger than ${maximumBytes} bytes.`);
  return bytes;
}
