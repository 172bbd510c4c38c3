/** An event of the AG-UI protocol, with its members in the order in which they are written. */
export type AguiEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** Maximum number of characters that wait while another message is open; what exceeds it is left out of the deltas. */
const MAXIMUM_WAITING_CHARACTERS = 1_048_576;

interface WaitingMessage {
  text: string;
  isComplete: boolean;
}

/**
 * Makes text messages of tokens and messages. AG-UI has one open message at a time and Langflow's vertices can stream side
 * by side, so a message waits until the open one has ended.
 */
export class AguiTextMessages {
  #openId: string | null = null;
  readonly #ended = new Set<string>();
  readonly #waiting = new Map<string, WaitingMessage>();

  /** Takes a token. A token of an ended message is dropped. */
  token(id: string, chunk: string): AguiEvent[] {
    if (id === '' || this.#ended.has(id)) return [];
    if (this.#openId === id) return [content(id, chunk)];
    if (this.#openId === null) return this.#open(id, chunk);
    const waiting = this.#waiting.get(id) ?? { text: '', isComplete: false };
    this.#waiting.set(id, waiting);
    if (!waiting.isComplete && waiting.text.length < MAXIMUM_WAITING_CHARACTERS) waiting.text += chunk;
    return [];
  }

  /** Takes a message that has its whole text. */
  complete(id: string, text: string): AguiEvent[] {
    if (id === '' || this.#ended.has(id)) return [];
    if (this.#openId === id) return this.#endOpen();
    const earlier = this.#waiting.get(id);
    if (!earlier && text === '') return [];
    if (this.#openId === null) return this.#whole(id, text);
    this.#waiting.set(id, { text: text === '' ? (earlier?.text ?? '') : text, isComplete: true });
    return [];
  }

  /** Takes the removal of a message. A message that waits is not sent. */
  remove(id: string): void {
    if (this.#waiting.delete(id)) this.#ended.add(id);
  }

  /** Ends every message that is open or waits. */
  end(): AguiEvent[] {
    const events = this.#endOpen();
    while (this.#openId !== null) events.push(...this.#endOpen());
    return events;
  }

  #endOpen(): AguiEvent[] {
    if (this.#openId === null) return [];
    const id = this.#openId;
    this.#openId = null;
    this.#ended.add(id);
    const events: AguiEvent[] = [{ type: 'TEXT_MESSAGE_END', messageId: id }];
    for (const [next, { text, isComplete }] of this.#waiting) {
      if (this.#openId !== null) break;
      this.#waiting.delete(next);
      events.push(...(isComplete ? this.#whole(next, text) : this.#open(next, text)));
    }
    return events;
  }

  #open(id: string, text: string): AguiEvent[] {
    this.#openId = id;
    return [{ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' }, content(id, text)];
  }

  #whole(id: string, text: string): AguiEvent[] {
    this.#ended.add(id);
    return [
      { type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' },
      content(id, text),
      { type: 'TEXT_MESSAGE_END', messageId: id },
    ];
  }
}

function content(messageId: string, delta: string): AguiEvent {
  return { type: 'TEXT_MESSAGE_CONTENT', messageId, delta };
}
