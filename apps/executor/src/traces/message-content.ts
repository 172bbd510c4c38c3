import type { ObservedMessage, ObservedModelAnswer } from '@millrace/flow';

/** Characters of the texts of one attribute; later texts are cut or left out. */
const MAXIMUM_CHARACTERS = 16_384;

/** Hides secrets in a text. */
export type Redact = (text: string) => string;
type ToolCalls = ObservedModelAnswer['toolCalls'];

/** Returns the messages of a request in the form of the GenAI conventions, as JSON; the newest when they are too long. */
export function inputMessages(messages: readonly ObservedMessage[], redact: Redact): string {
  const texts = new BoundedTexts(redact);
  const kept: object[] = [];
  for (const message of messages.toReversed()) {
    if (texts.isFull) break;
    kept.push({ role: message.role, parts: partsOf(message, texts) });
  }
  return JSON.stringify(kept.reverse());
}

/** Returns the answer of a model in that form. */
export function outputMessages(answer: ObservedModelAnswer, redact: Redact): string {
  const parts = partsOf(
    { role: 'assistant', content: answer.text, toolCalls: answer.toolCalls },
    new BoundedTexts(redact),
  );
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: answer.finishReason ?? 'unknown' }]);
}

/** Returns a text for an attribute, without the values of the run and not too long. */
export function boundedText(text: string, redact: Redact): string {
  return new BoundedTexts(redact).take(text);
}

function partsOf({ role, content, toolCalls = [], callId }: ObservedMessage, texts: BoundedTexts): object[] {
  if (role === 'tool')
    return [{ type: 'tool_call_response', id: callId ?? '', response: texts.take(content) }];
  const text = content === '' ? [] : [{ type: 'text', content: texts.take(content) }];
  return [...text, ...callParts(toolCalls, texts)];
}

function callParts(toolCalls: ToolCalls, texts: BoundedTexts): object[] {
  return toolCalls.map(({ id, name, argumentsText }) => ({
    type: 'tool_call',
    id,
    name,
    arguments: texts.take(argumentsText),
  }));
}

class BoundedTexts {
  readonly #redact: Redact;
  #remaining = MAXIMUM_CHARACTERS;

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  get isFull(): boolean {
    return this.#remaining <= 0;
  }

  /** Redacts before it cuts, so that no part of a value remains at the end. */
  take(text: string): string {
    const whole = this.#redact(text);
    const taken = whole.slice(0, Math.max(0, this.#remaining));
    this.#remaining -= taken.length;
    return taken.length === whole.length ? taken : `${taken}…`;
  }
}
