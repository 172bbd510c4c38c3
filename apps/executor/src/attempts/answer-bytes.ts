import { randomUUID } from 'node:crypto';
import { RunError } from '@millrace/flow';
import { DeduplicatedText } from '@millrace/messages';

/** A text of an answer from this length is written once. Looking for shorter ones costs more than copying them. */
const LONG_TEXT = 2_048;
/** Stands for a long text. No flow can know it, so none can return it. */
const MARK = `millrace-text-${randomUUID()}-`;
const MARKED = new RegExp(`${MARK}(\\d+)`);

/**
 * Returns `JSON.stringify(answer)` as UTF-8. `texts` are the texts that the answer can contain several times: an answer in
 * Langflow's form contains each message six times. Throws output_too_large for more than `maximumBytes`, which the message
 * broker would refuse, so that the caller would never receive the answer.
 */
export function answerBytes(
  answer: unknown,
  { texts, maximumBytes }: { readonly texts: Iterable<string>; readonly maximumBytes: number },
): Buffer | DeduplicatedText {
  const long = new Map<string, number>();
  for (const text of texts) if (text.length >= LONG_TEXT && !long.has(text)) long.set(text, long.size);
  const bytes = long.size === 0 ? Buffer.from(JSON.stringify(answer)) : withLongTexts(answer, long);
  if (bytes.length > maximumBytes)
    throw new RunError('output_too_large', `The response is larger than ${maximumBytes} bytes.`);
  return bytes;
}

function withLongTexts(answer: unknown, long: ReadonlyMap<string, number>): DeduplicatedText {
  const marked = JSON.stringify(answer, (_, value: unknown) => {
    const index = typeof value === 'string' && value.length >= LONG_TEXT ? long.get(value) : undefined;
    return index === undefined ? value : `${MARK}${index}`;
  });
  // The numbers of long texts are at odd positions.
  const parts = marked.split(MARKED);
  return new DeduplicatedText(
    [...long.keys()].map((text) => Buffer.from(JSON.stringify(text).slice(1, -1))),
    parts.filter((_, position) => position % 2 === 0).map((piece) => Buffer.from(piece)),
    parts.filter((_, position) => position % 2 === 1).map(Number),
  );
}
