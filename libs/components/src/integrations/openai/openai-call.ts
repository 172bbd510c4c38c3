import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import OpenAI from 'openai';
import type { ModelEndpoint } from '../models/model-endpoint';
import { providerError } from './openai-error';

/**
 * One call of a model: a client that reads nothing from the process environment and writes nothing to the console, and
 * a signal that stops its retries: an address that the operator does not allow is called only once, and the end of the
 * run ends all attempts.
 */
export class ModelCall {
  readonly client: OpenAI;
  readonly signal: AbortSignal;
  readonly #endpoint: ModelEndpoint;
  readonly #run: AbortSignal;
  /** Not the run's own signal: the client would keep a listener on it until the run ends, and abort finished calls. */
  readonly #stopRetries = new AbortController();

  constructor(endpoint: ModelEndpoint, context: ComponentContext) {
    this.#endpoint = endpoint;
    this.#run = context.signal;
    this.signal = this.#stopRetries.signal;
    // The client would send these headers to every host that a flow names, and has no option to disable that.
    delete process.env['OPENAI_CUSTOM_HEADERS'];
    this.client = new OpenAI({
      apiKey: endpoint.apiKey.reveal(),
      adminAPIKey: null,
      baseURL: endpoint.baseUrl,
      organization: null,
      project: null,
      webhookSecret: null,
      defaultHeaders: { ...endpoint.headers, ...keyHeader(endpoint) },
      defaultQuery: endpoint.query,
      fetch: (url, init) => this.#fetch(context.fetch, url, init),
      maxRetries: endpoint.maximumRetries,
      timeout: Math.max(1, Math.min(endpoint.timeoutMilliseconds, context.remainingMilliseconds())),
      logLevel: 'off',
    });
  }

  /** Returns the error for a failure of this call; the reason why the run ended is kept as it is. */
  failure(error: unknown): unknown {
    if (this.#run.aborted) return this.#run.reason;
    if (!this.#stopRetries.signal.aborted) return providerError(error);
    const reason: unknown = this.#stopRetries.signal.reason;
    const text = reason instanceof Error ? reason.message : String(reason);
    return new ComponentError(`Connection error: ${this.#endpoint.provider}: ${text}`, reason);
  }

  async #fetch(fetch: ComponentContext['fetch'], ...request: Parameters<typeof fetch>): Promise<Response> {
    try {
      return await fetch(...request);
    } catch (error) {
      const refusal = this.#run.aborted ? this.#run.reason : findAddressRefusal(error);
      if (refusal !== null) this.#stopRetries.abort(refusal);
      throw error;
    }
  }
}

/** Removes the key from the usual header when the provider reads it from another one. */
function keyHeader({ apiKey, keyHeader: name }: ModelEndpoint): Readonly<Record<string, string | null>> {
  return name === null ? {} : { authorization: null, [name]: apiKey.reveal() };
}

/** Returns the refusal of an address among an error and its causes; null without one. */
function findAddressRefusal(error: unknown): Error | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === 'outgoing_refused') return cause;
  }
  return null;
}
