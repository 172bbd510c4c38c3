import type { MessageUsage, PythonValue } from '@millrace/python-text';
import type { ChatAnswer } from './chat-protocol';
import { CollectedCalls } from './collected-calls';
import { tokenCount } from './token-count';

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
  /** The number of the choice that is read, where a provider can send several. */
  choice: PythonValue | undefined;
  /** Whether anything of an answer has come, be it empty. */
  hasBegun = false;
  /** Whether the provider has said that the answer is whole. */
  hasEnded = false;

  addText(text: string): void {
    this.#text += text;
    this.#unsent += text;
  }

  /** Adds what a whole text has more than its pieces that came before it. */
  completeText(whole: string): void {
    if (whole.startsWith(this.#text)) this.addText(whole.slice(this.#text.length));
    else if (!this.#text.endsWith(whole)) this.addText(whole);
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
      usage: usage && countedUsage(usage),
      model,
      finishReason,
      ...(reasoning === '' ? {} : { reasoning }),
      ...(refusal === '' ? {} : { refusal }),
    };
  }
}

/** Returns counts as whole numbers, whatever the provider reports. */
function countedUsage({ input_tokens, output_tokens, total_tokens }: MessageUsage): MessageUsage {
  return {
    input_tokens: tokenCount(input_tokens),
    output_tokens: tokenCount(output_tokens),
    total_tokens: tokenCount(total_tokens),
  };
}
