import type { MessageUsage } from '@millrace/python-text';
import type { ChatAnswer } from './chat-protocol';
import { CollectedCalls } from './collected-calls';

/** The answer of a model, as far as it has been read. */
export class CollectedAnswer {
  readonly calls = new CollectedCalls();
  #text = '';
  #unsent = '';
  reasoning = '';
  refusal = '';
  usage: MessageUsage | null = null;
  model: string | undefined;
  finishReason: string | undefined;
  /** Whether anything of an answer has come, be it empty. */
  hasBegun = false;
  /** Whether the provider has said that the answer is whole. */
  hasEnded = false;

  addText(text: string): void {
    this.#text += text;
    this.#unsent += text;
  }

  /** Returns the text that was added since the last call. */
  takeText(): string {
    const text = this.#unsent;
    this.#unsent = '';
    return text;
  }

  whole(): ChatAnswer {
    const { reasoning, refusal, usage, model, finishReason } = this;
    return {
      text: this.#text,
      toolCalls: this.calls.all(),
      usage,
      model,
      finishReason,
      ...(reasoning === '' ? {} : { reasoning }),
      ...(refusal === '' ? {} : { refusal }),
    };
  }
}
