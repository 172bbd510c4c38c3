import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { readAnswer } from './call-http';
import { describeFailure } from './describe-failure';
import type { HttpAnswer, HttpCall } from './http-call';
import { bodyParts, defaultMaximumBytes } from './read-body';
import { retryCall } from './retry-call';

type Opened =
  | { readonly status: number; readonly headers: Headers; readonly parts: AsyncIterable<Uint8Array> }
  | HttpAnswer;

/**
 * Makes a call whose answer is a stream of server-sent events and yields the data of each event as it arrives. Rejects
 * like `streamAnswer`.
 */
export function streamEvents(
  call: HttpCall,
  errorFor: (answer: HttpAnswer) => Error,
  context: ComponentContext,
): AsyncGenerator<string, void, undefined> {
  return streamAnswer(call, { errorFor, read: (parts) => eventsIn(parts, call) }, context);
}

/** How to read a streamed answer. */
export interface StreamReader<Item> {
  /** Returns the error for an answer without a success status. */
  readonly errorFor: (answer: HttpAnswer) => Error;
  readonly read: (parts: AsyncIterable<Uint8Array>) => AsyncIterable<Item>;
}

/**
 * Makes a call and yields what a reader finds in the body as it arrives. Throws the reader's error for an answer
 * without a success status, and otherwise rejects like `callHttp`. The connection closes when the caller stops reading.
 */
export async function* streamAnswer<Item>(
  call: HttpCall,
  { errorFor, read }: StreamReader<Item>,
  context: ComponentContext,
): AsyncGenerator<Item, void, undefined> {
  const opened = await retryCall<Opened>(call, (response) => open(response, call), context);
  if (!('parts' in opened)) throw errorFor(opened);
  try {
    yield* read(opened.parts);
  } catch (error) {
    context.signal.throwIfAborted();
    throw error instanceof ComponentError ? error : describeFailure(error, call);
  }
}

async function open(response: Response, call: HttpCall): Promise<Opened> {
  if (!response.ok) return readAnswer(response, call);
  return { status: response.status, headers: response.headers, parts: bodyParts(response) };
}

/** Yields the data of each server-sent event in a body. */
export async function* eventsIn(
  parts: AsyncIterable<Uint8Array>,
  { service, maximumBytes = defaultMaximumBytes }: HttpCall,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  let length = 0;
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split(/\r\n|\n|\r(?!\n|$)/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) {
        data.push(line.slice(line[5] === ' ' ? 6 : 5));
        length += line.length;
      }
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
      length = 0;
    }
    if (length + rest.length > maximumBytes) {
      throw new ComponentError(`${service} sent an event that is too long.`);
    }
  }
  if (rest.startsWith('data:')) data.push(rest.slice(5).trim());
  if (data.length > 0) yield data.join('\n');
}
