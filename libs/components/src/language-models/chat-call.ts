import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import OpenAI from 'openai';
import type { ChatModel } from './chat-model';
import { providerError } from './provider-error';

/**
 * One call of a chat model: a client that reads nothing from the process environment and writes nothing to the console,
 * and a signal that ends with the run. An address that the operator refuses is not asked for again.
 */
export class ChatCall {
  readonly client: OpenAI;
  readonly signal: AbortSignal;
  readonly #chat: ChatModel;
  readonly #run: AbortSignal;
  readonly #refused = new AbortController();

  constructor(chat: ChatModel, context: ComponentContext) {
    this.#chat = chat;
    this.#run = context.signal;
    this.signal = AbortSignal.any([context.signal, this.#refused.signal]);
    this.client = new OpenAI({
      apiKey: chat.apiKey.reveal(),
      baseURL: chat.baseUrl,
      organization: null,
      project: null,
      webhookSecret: null,
      defaultHeaders: { ...chat.headers, ...keyHeader(chat) },
      defaultQuery: chat.query,
      fetch: (url, init) => this.#fetch(context.fetch, url, init),
      maxRetries: chat.maximumRetries,
      timeout: Math.max(1, Math.min(chat.timeoutMilliseconds, context.remainingMilliseconds())),
      logLevel: 'off',
    });
  }

  /** What a failure of this call is told as; the reason the run ended stays what it is. */
  failure(error: unknown): unknown {
    if (this.#run.aborted) return this.#run.reason;
    if (!this.#refused.signal.aborted) return providerError(error);
    const reason: unknown = this.#refused.signal.reason;
    const text = reason instanceof Error ? reason.message : String(reason);
    return new ComponentError(`Connection error: ${this.#chat.provider}: ${text}`, reason);
  }

  async #fetch(fetch: ComponentContext['fetch'], ...request: Parameters<typeof fetch>): Promise<Response> {
    try {
      return await fetch(...request);
    } catch (error) {
      const refusal = refusalIn(error);
      if (refusal !== null) this.#refused.abort(refusal);
      throw error;
    }
  }
}

/** Takes the key out of the usual header where a provider reads it in another one. */
function keyHeader({ apiKey, keyHeader: name }: ChatModel): Readonly<Record<string, string | null>> {
  return name === null ? {} : { authorization: null, [name]: apiKey.reveal() };
}

/** The refusal of an address among an error and its causes. */
function refusalIn(error: unknown): Error | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'outgoing_refused') return cause;
  }
  return null;
}
