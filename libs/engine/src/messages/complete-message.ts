import { Message } from '@millrace/python-text';
import type { PythonValue, TextStream } from '@millrace/python-text';
import type { OngoingRun } from '../run/ongoing-run';

/** A message whose text is still streaming. */
export type StreamingMessage = Message & { readonly fields: { readonly stream: TextStream } };

export function isStreaming(value: PythonValue): value is StreamingMessage {
  return value instanceof Message && value.fields.stream !== null;
}

/**
 * Returns the message with its complete text, and with the usage if the source reports it. A final content from the
 * source takes precedence over the streamed text.
 */
export async function completeMessage(run: OngoingRun, message: StreamingMessage): Promise<Message> {
  const { stream, properties } = message.fields;
  const shared = run.share(stream);
  const text = await shared.text();
  const { usage, ending } = shared;
  return message.with({
    text,
    stream: null,
    ...ending,
    ...(usage && { properties: { ...properties, usage } }),
  });
}
