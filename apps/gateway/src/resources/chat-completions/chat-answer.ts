import type { ServerResponse } from 'node:http';
import { firstTextOf } from '@millrace/flow';
import type { RunResponse } from '@millrace/flow';
import type { HttpError } from '@millrace/http';
import { openAiError } from '../../http/answers/open-ai-error';
import { EventWriter, tokensIn } from '../responses/event-writer';
import { currentUnixSeconds, usageOf } from '../responses/response-object';
import type { ChatRequest } from './chat-request';

/** Returns the whole answer in the shape of OpenAI's Chat Completions. */
export function chatCompletion({ id, model }: ChatRequest, run: RunResponse): Record<string, unknown> {
  const message = { role: 'assistant', content: firstTextOf(run), refusal: null };
  const usage = chatUsage(run);
  return {
    id,
    object: 'chat.completion',
    created: currentUnixSeconds(),
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    ...(usage ? { usage } : {}),
  };
}

/** Returns the tokens of the model calls; null when they are unknown. */
function chatUsage(run: RunResponse): Record<string, number> | null {
  const usage = usageOf(run);
  if (!usage) return null;
  const count = (name: string) => (typeof usage[name] === 'number' ? usage[name] : 0);
  const [input, output] = [count('input_tokens'), count('output_tokens')];
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: count('total_tokens') || input + output,
  };
}

/** Writes a run's tokens as the chunks of a chat completion. A run without token events has its text in one chunk. */
export class ChatStream {
  readonly #writer: EventWriter;
  readonly #request: ChatRequest;
  readonly #created = currentUnixSeconds();
  #attempt = 1;
  #hasText = false;

  constructor(response: ServerResponse, request: ChatRequest) {
    this.#writer = new EventWriter(response, () => undefined);
    this.#request = request;
  }

  open(headers: Readonly<Record<string, string>>): void {
    this.#writer.open(headers);
    this.#chunk({ role: 'assistant', content: '' });
  }

  /** Writes events, one JSON object a line. Text cannot be withdrawn, so that of a new attempt follows a line break. */
  events(lines: Buffer, attempt: number): void {
    if (attempt > this.#attempt && this.#hasText) this.#chunk({ content: '\n' });
    this.#attempt = Math.max(attempt, this.#attempt);
    for (const content of tokensIn(lines)) {
      this.#hasText = true;
      this.#chunk({ content });
    }
  }

  succeed(run: RunResponse): void {
    if (!this.#hasText) this.#chunk({ content: firstTextOf(run) });
    this.#chunk({}, 'stop');
    const usage = chatUsage(run);
    if (this.#request.includesUsage && usage)
      this.#writer.write(null, { ...this.#head(), choices: [], usage });
    this.#writer.finish();
  }

  fail(error: HttpError): void {
    this.#writer.write(null, openAiError(error).body);
    this.#writer.finish();
  }

  #head(): Record<string, unknown> {
    const { id, model } = this.#request;
    return { id, object: 'chat.completion.chunk', created: this.#created, model };
  }

  #chunk(delta: object, reason: 'stop' | null = null): void {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }];
    this.#writer.write(null, { ...this.#head(), choices });
  }
}
