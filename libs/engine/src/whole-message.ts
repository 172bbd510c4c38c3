import { Message } from '@millrace/flow';
import type { PythonValue, TextStream } from '@millrace/flow';
import type { OngoingRun } from './ongoing-run';

/** A message whose text is still being made. */
export type UnfinishedMessage = Message & { readonly fields: { readonly stream: TextStream } };

export function isUnfinished(value: PythonValue): value is UnfinishedMessage {
  return value instanceof Message && value.fields.stream !== null;
}

/**
 * The message with its whole text, once that is made, and with what making it cost, where that is told.
 * A source that says how the message ends up is believed.
 */
export async function wholeMessage(run: OngoingRun, message: UnfinishedMessage): Promise<Message> {
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
