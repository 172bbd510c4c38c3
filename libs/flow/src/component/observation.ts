import type { MessageUsage, PythonObject } from '@millrace/python-text';

/**
 * A step of a run that is observed, from its creation to `succeeded` or `failed`. A step whose work never settles stays
 * open; the owner of the observer ends it with the run.
 */
export interface ObservedStep<Result> {
  /** Runs work of the step. Steps and calls that the work starts belong to this step, those it starts later too. */
  within<Value>(work: () => Value): Value;
  succeeded(result: Result): void;
  failed(error: unknown): void;
}

/** A message of a conversation with a model, independent of the provider. */
export interface ObservedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Calls that the model requested. */
  readonly toolCalls?: readonly ObservedRequest[];
  /** The call that this message of role `tool` answers. */
  readonly callId?: string;
}

/** A tool call as the model wrote it. */
export interface ObservedRequest {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** A call of a model. Its messages can contain secrets. */
export interface ObservedModelCall {
  readonly operation: 'chat' | 'embeddings';
  /** The display name of the provider. */
  readonly provider: string;
  readonly model: string;
  /** The base of the addresses of the provider; empty for a model in Python. */
  readonly address: string;
  readonly streams: boolean;
  /** Members of the body of the request, such as `temperature`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Empty for embeddings. */
  readonly messages: readonly ObservedMessage[];
}

export interface ObservedModelAnswer {
  /** The model that answered, if the provider names it. */
  readonly model: string | null;
  /** Why the answer ended, in the words of the provider; null when it is not known. */
  readonly finishReason: string | null;
  readonly usage: MessageUsage | null;
  /** Empty for embeddings. */
  readonly text: string;
  readonly toolCalls: readonly ObservedRequest[];
}

/** A call of a tool that a model requested. */
export interface ObservedToolCall {
  /** The id that the model gave to the call; empty without one. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly arguments: PythonObject;
}

/** A search of a store of texts. */
export interface ObservedRetrieval {
  /** The type of the component of the store. */
  readonly store: string;
  readonly query: string;
  /** The maximum number of results. */
  readonly limit: number;
}

export interface ObservedDocuments {
  readonly count: number;
}

/** Observes what a vertex does while it runs. */
export interface VertexObservation {
  modelCall(call: ObservedModelCall): ObservedStep<ObservedModelAnswer>;
  toolCall(call: ObservedToolCall): ObservedStep<string>;
  retrieval(retrieval: ObservedRetrieval): ObservedStep<ObservedDocuments>;
}

/** Performs the work of a step, and ends the step with it. Without a step, it only performs the work. */
export async function observeStep<Value, Result>(
  step: ObservedStep<Result> | undefined,
  work: () => Promise<Value>,
  resultOf: (value: Value) => Result,
): Promise<Value> {
  if (step === undefined) return work();
  try {
    const value = await step.within(work);
    step.succeeded(resultOf(value));
    return value;
  } catch (error) {
    step.failed(error);
    throw error;
  }
}

/** Yields what the work of a step yields, and ends the step with it, also when its reader stops early. */
export async function* observeStream<Piece, Value, Result>(
  step: ObservedStep<Result>,
  start: () => AsyncGenerator<Piece, Value, undefined>,
  resultOf: (value: Value) => Result,
): AsyncGenerator<Piece, Value, undefined> {
  const work = step.within(start);
  let hasEnded = false;
  try {
    for (;;) {
      const next = await step.within(() => work.next());
      if (next.done === true) {
        hasEnded = true;
        step.succeeded(resultOf(next.value));
        return next.value;
      }
      yield next.value;
    }
  } catch (error) {
    hasEnded = true;
    step.failed(error);
    throw error;
  } finally {
    if (!hasEnded) {
      step.failed(new Error('The reader stopped before the end.'));
      await work.return(undefined as Value);
    }
  }
}
