import type { ObservedMessage } from '@millrace/flow';
import type { CallTrace, TracedMessage, TracedRequest } from '@millrace/runs';
import type { RecordedCall } from './recorded-call';
import type { SecretMask } from '../../secret-mask';
import { shownText, shownValue } from './shown-value';
import type { ShownCharacters } from './shown-value';

const MAXIMUM_NAME_LENGTH = 200;
const MAXIMUM_ERROR_LENGTH = 1_024;
const MAXIMUM_MESSAGES = 20;

export interface CallFrame {
  /** The start of the attempt by `performance.now()`. */
  readonly started: number;
  readonly mask: SecretMask;
  /** The state of a call that has not ended. */
  readonly unended: 'running' | 'unfinished';
  /** Null when no values are shown. */
  readonly characters: ShownCharacters | null;
}

/** Returns the calls of a vertex in their order. A call of a model shows the messages that the one before did not have. */
export function callTraces(calls: readonly RecordedCall[], frame: CallFrame): readonly CallTrace[] {
  let before: readonly ObservedMessage[] = [];
  return calls.map((call) => {
    const messages = call.messages.slice(0, call.messageCount);
    const trace = callTrace(call, { messages, known: commonStart(before, messages) }, frame);
    if (call.kind === 'model') before = messages;
    return trace;
  });
}

interface CallMessages {
  readonly messages: readonly ObservedMessage[];
  /** How many of them the call before had as well. */
  readonly known: number;
}

function callTrace(call: RecordedCall, given: CallMessages, frame: CallFrame): CallTrace {
  const { started, mask, unended, characters } = frame;
  const { kind, name, provider, tokens, cost, error } = call;
  return {
    kind,
    name: mask.start(name, MAXIMUM_NAME_LENGTH),
    ...(kind === 'model' ? { provider: mask.start(provider, MAXIMUM_NAME_LENGTH), cost } : {}),
    state: call.ended === null ? unended : error === null ? 'succeeded' : 'failed',
    start: rounded(call.began - started),
    end: rounded((call.ended ?? performance.now()) - started),
    ...(tokens && { inputTokens: tokens.input, outputTokens: tokens.output }),
    ...(error !== null ? { error: mask.start(textOf(error), MAXIMUM_ERROR_LENGTH) } : {}),
    ...(characters &&
      (kind === 'model' ? modelValues(call, given, mask, characters) : toolValues(call, mask, characters))),
  };
}

function modelValues(
  { answer }: RecordedCall,
  { messages, known }: CallMessages,
  mask: SecretMask,
  characters: ShownCharacters,
): Pick<CallTrace, 'earlierMessages' | 'messages' | 'answer'> {
  const shown = messages.slice(Math.max(known, messages.length - MAXIMUM_MESSAGES));
  return {
    earlierMessages: messages.length - shown.length,
    messages: shown.map((message) => shownMessage(message, mask, characters)),
    ...(answer && {
      answer: shownMessage(
        { role: 'assistant', content: answer.text, toolCalls: answer.toolCalls },
        mask,
        characters,
      ),
    }),
  };
}

function toolValues(
  { arguments: given, result }: RecordedCall,
  mask: SecretMask,
  characters: ShownCharacters,
): Pick<CallTrace, 'arguments' | 'result'> {
  return {
    arguments: shownValue(given, mask, characters),
    ...(result !== null ? { result: shownText(result, mask, characters) } : {}),
  };
}

function shownMessage(
  { role, content, toolCalls = [] }: ObservedMessage,
  mask: SecretMask,
  characters: ShownCharacters,
): TracedMessage {
  return {
    role,
    content: shownText(content, mask, characters),
    ...(toolCalls.length > 0
      ? {
          toolCalls: toolCalls.slice(0, MAXIMUM_MESSAGES).map((each) => shownRequest(each, mask, characters)),
        }
      : {}),
  };
}

function shownRequest(
  { name, argumentsText }: NonNullable<ObservedMessage['toolCalls']>[number],
  mask: SecretMask,
  characters: ShownCharacters,
): TracedRequest {
  return {
    name: mask.start(name, MAXIMUM_NAME_LENGTH),
    arguments: shownText(argumentsText, mask, characters),
  };
}

/** Returns how many messages both lists begin with. */
function commonStart(one: readonly ObservedMessage[], other: readonly ObservedMessage[]): number {
  let count = 0;
  while (count < one.length && count < other.length && isSame(one[count], other[count])) count += 1;
  return count;
}

function isSame(one: ObservedMessage | undefined, other: ObservedMessage | undefined): boolean {
  return (
    one === other ||
    (one?.role === other?.role && one?.content === other?.content && one?.callId === other?.callId)
  );
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
