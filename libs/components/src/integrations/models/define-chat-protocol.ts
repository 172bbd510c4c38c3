import type { PythonValue } from '@millrace/python-text';
import { limitedParts, readBody } from '../http/read-body';
import type { StreamItem, StreamReader } from '../http/stream-events';
import { textOf, wholeItem } from '../http/stream-events';
import type { ChatAnswer, ChatModel, ChatProtocol, ChatRequest } from './chat-protocol';
import { CollectedAnswer } from './collected-answer';
import { brokenAnswer, missingAnswer, reportedError, unreadableCalls } from './model-failure';
import { callModel, modelFailure } from './model-http';
import type { ModelCall } from './model-http';
import { pricedChat } from './priced-call';
import { withAcceptedTemperature } from './refused-temperature';

/** The ends of answers that call tools. */
const CALLING_ENDS: ReadonlySet<string> = new Set(['tool_calls', 'function_call', 'tool_use']);

/** What distinguishes a provider's protocol from the others. */
export interface ProtocolDefinition extends Pick<ChatProtocol, 'parameters'> {
  readonly call: (chat: ChatModel, request: ChatRequest, streams: boolean) => ModelCall;
  /** Reads the body of a streamed answer. */
  readonly items: StreamReader;
  /** Adds an event, or a whole answer, to what has been read before. */
  readonly read: (event: PythonValue, answer: CollectedAnswer, chat: ChatModel) => void;
}

/** A call of a model, as the reader of its answer needs it. */
interface AskedCall {
  readonly chat: ChatModel;
  readonly call: ModelCall;
  readonly onEnd?: () => void;
}

/**
 * Defines a protocol. Whatever a provider or a proxy answers, a call returns a whole answer or throws a ComponentError:
 * servers answer a streamed call with a document and another call with a stream, report errors with a success status,
 * and end a stream at any place.
 */
export function defineChatProtocol({ parameters, call, items, read }: ProtocolDefinition): ChatProtocol {
  return {
    parameters,
    complete: (model, request, context) =>
      withAcceptedTemperature(model, (chat) => {
        const asked = { chat, call: call(chat, request, false) };
        return callModel(
          asked.call,
          {
            price: () => pricedChat(asked.call, chat, request),
            async read(response, _limit, reservation) {
              const body = await readBody(response, asked.call);
              const item = wholeItem(textOf(body, response.headers));
              const source = item.kind === 'text' ? items(arriving(body), response.headers) : [item];
              const reading = answerIn(source, asked, read);
              for (;;) {
                const next = await reading.next();
                if (next.done !== true) continue;
                await reservation?.settle(next.value.usage);
                return next.value;
              }
            },
          },
          context,
        );
      }),
    stream: async function* (model, request, context) {
      // A failure before the first text is still that of the call, which can be repeated.
      const { streamed, reading, first, limit, reservation } = await withAcceptedTemperature(
        model,
        (chat) => {
          const begun = { ...call(chat, request, true), streams: true };
          return callModel(
            begun,
            {
              price: () => pricedChat(begun, chat, request),
              async read(response, tryLimit, reserved) {
                const parts = limitedParts(response, begun, () => tryLimit.restart());
                const source = items(parts, response.headers);
                const started = answerIn(
                  source,
                  { chat, call: begun, onEnd: () => tryLimit.expectEnd() },
                  read,
                );
                return {
                  streamed: begun,
                  reading: started,
                  first: await started.next(),
                  limit: tryLimit,
                  reservation: reserved,
                };
              },
            },
            context,
          );
        },
      );
      try {
        for (let next = first; ; next = await reading.next()) {
          if (next.done === true) {
            await reservation?.settle(next.value.usage);
            return next.value;
          }
          yield next.value;
        }
      } catch (error) {
        throw modelFailure(error, streamed, { context, isStreaming: true });
      } finally {
        limit.end();
        await reading.return(undefined as never);
        // A stream whose reader stopped, or that broke: what it cost is not known.
        await reservation?.settle(null);
      }
    },
  };
}

/** Yields the text of an answer, and returns the answer when it is whole. */
async function* answerIn(
  source: AsyncIterable<StreamItem> | Iterable<StreamItem>,
  asked: AskedCall,
  read: ProtocolDefinition['read'],
): AsyncGenerator<string, ChatAnswer, undefined> {
  const answer = new CollectedAnswer();
  let other = '';
  let unread: PythonValue | undefined;
  let damaged = '';
  try {
    for await (const item of source) {
      if (item.kind === 'end') {
        answer.hasEnded = true;
        break;
      }
      if (item.kind === 'text') {
        other ||= item.text;
        if (!answer.hasEnded && item.text.trimStart().startsWith('{')) damaged ||= item.text;
        continue;
      }
      const { value } = item;
      // Gemini sends a list of answers when a proxy drops its query.
      for (const event of Array.isArray(value) ? (value as readonly PythonValue[]) : [value]) {
        const error = reportedError(event, asked.call);
        if (error !== null) throw error;
        read(event, answer, asked.chat);
      }
      if (!answer.hasBegun && unread === undefined) unread = value;
      if (item.kind === 'document') answer.hasEnded = true;
      const piece = answer.takeText();
      if (piece !== '') yield piece;
      if (answer.hasEnded) asked.onEnd?.();
    }
  } catch (error) {
    // What follows the end of an answer is its usage at most.
    if (!answer.hasEnded || !answer.hasBegun) throw error;
  }
  if (!answer.hasBegun) {
    throw missingAnswer(other || (unread === undefined ? '' : JSON.stringify(unread)), asked.call);
  }
  if (!answer.hasEnded) throw brokenAnswer(other, asked.call);
  if (damaged !== '') throw brokenAnswer(damaged, asked.call);
  const whole = answer.whole();
  if (lacksItsCalls(whole)) throw unreadableCalls(asked.call);
  return whole;
}

/** Whether an answer that ends with calls has neither a call nor a text. */
function lacksItsCalls({ text, toolCalls, finishReason = '' }: ChatAnswer): boolean {
  return text === '' && toolCalls.length === 0 && CALLING_ENDS.has(finishReason);
}

async function* arriving(body: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.length > 0) yield await Promise.resolve(body);
}
