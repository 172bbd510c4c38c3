import { isRecord } from '../../http/bodies/parse-json';
import type { RunEvent } from './event-writer';

const SPACE = /\s+/g;
const ANSWERING_SENDERS: ReadonlySet<unknown> = new Set(['Machine', 'AI', 'Agent']);
const ANSWERING_NAMES: ReadonlySet<unknown> = new Set(['AI', 'Agent']);

/**
 * Selects from a run's events the text that the reader of a response does not have yet, as Langflow does: the tokens, and the
 * messages that were not sent as tokens. A message that repeats the request's input or the text before it has no new text.
 */
export class ResponseText {
  readonly #input: string;
  #sent = '';
  readonly #streamed = new Set<string>();
  /** Text of a message that its tokens will repeat. */
  readonly #ahead = new Map<string, string>();
  readonly #shown = new Map<string, string>();

  constructor(input: string) {
    this.#input = input;
  }

  /** Returns the new text of an event, empty when it has none. */
  newText({ event, data }: RunEvent): string {
    if (event === 'token') return this.#ofToken(data);
    return event === 'add_message' ? this.#ofMessage(data) : '';
  }

  /** A new attempt of the run begins: it sends its text anew. */
  reset(): void {
    this.#sent = '';
    for (const one of [this.#streamed, this.#ahead, this.#shown]) one.clear();
  }

  #ofToken(data: RunEvent['data']): string {
    const { chunk } = data;
    if (typeof chunk !== 'string' || chunk === '') return '';
    const id = idOf(data);
    this.#streamed.add(id);
    const ahead = this.#ahead.get(id) ?? '';
    const isRepeated = ahead.startsWith(chunk);
    const text = isRepeated ? '' : chunk.startsWith(ahead) ? chunk.slice(ahead.length) : chunk;
    this.#ahead.set(id, isRepeated ? ahead.slice(chunk.length) : '');
    this.#sent += text;
    return text;
  }

  #ofMessage(data: RunEvent['data']): string {
    const { text, sender, sender_name: name, properties } = data;
    const id = idOf(data);
    if (typeof text !== 'string' || text === '' || text === this.#input) return '';
    if (!ANSWERING_SENDERS.has(sender) || !ANSWERING_NAMES.has(name)) return '';
    const isComplete = !isRecord(properties) || (properties['state'] ?? 'complete') === 'complete';
    if (this.#streamed.has(id) || (isComplete && this.#shown.get(id) === text)) return '';
    this.#shown.set(id, text);
    if (withoutSpace(this.#sent).endsWith(withoutSpace(text))) return '';
    const isLonger = text.startsWith(this.#sent);
    const added = isLonger ? text.slice(this.#sent.length) : text;
    if (isLonger) this.#ahead.set(id, `${this.#ahead.get(id) ?? ''}${added}`);
    this.#sent = text;
    return added;
  }
}

const withoutSpace = (text: string): string => text.replaceAll(SPACE, '');

function idOf({ id, data }: RunEvent['data']): string {
  const known = id ?? (isRecord(data) ? data['id'] : undefined);
  return typeof known === 'string' ? known : '';
}
