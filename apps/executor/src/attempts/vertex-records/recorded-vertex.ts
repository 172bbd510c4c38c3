import type { ObservedVertex, VertexRecord, VertexValues } from '@millrace/engine';
import type { ObservedDocuments, ObservedModelAnswer, ObservedModelCall, ObservedStep } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { VertexEntry } from './vertex-entry';

/** The model that was called, and its answer. */
export type ModelAnswer = Pick<ObservedModelCall, 'provider' | 'model'> & {
  readonly answer: Pick<ObservedModelAnswer, 'model' | 'usage'>;
};

/** Is notified of each answer of a model. */
export type OnModelAnswer = (answer: ModelAnswer, entry: VertexEntry) => void;

const within = <Value>(work: () => Value): Value => work();
const nothing = (): void => undefined;
const unobserved = { within, succeeded: nothing, failed: nothing };

/** One execution of a vertex, which adds what it does to the entry of the vertex. */
export class RecordedVertex implements ObservedVertex {
  readonly #entry: VertexEntry;
  readonly #onAnswer: OnModelAnswer;
  readonly #started = performance.now();
  #hasModelCalls = false;

  constructor(entry: VertexEntry, onAnswer: OnModelAnswer) {
    this.#entry = entry;
    this.#onAnswer = onAnswer;
    entry.begin(this.#started);
  }

  within<Value>(work: () => Value): Value {
    return work();
  }

  given(values: VertexValues): void {
    this.#entry.given(values);
  }

  succeeded(record: VertexRecord): void {
    this.#entry.succeed(record, this.#started, performance.now());
    if (!this.#hasModelCalls && this.#entry.execution.vertex.python !== null) this.#addPythonUsage(record);
  }

  failed(error: unknown): void {
    this.#entry.fail(error, this.#started, performance.now());
  }

  modelCall({ provider, model }: ObservedModelCall): ObservedStep<ObservedModelAnswer> {
    this.#hasModelCalls = true;
    const entry = this.#entry;
    const onAnswer = this.#onAnswer;
    return {
      within,
      succeeded: (answer) => {
        entry.answered(answer.text);
        onAnswer({ provider, model, answer }, entry);
      },
      failed: nothing,
    };
  }

  toolCall(): ObservedStep<string> {
    this.#entry.toolCalls += 1;
    return unobserved;
  }

  retrieval(): ObservedStep<ObservedDocuments> {
    return unobserved;
  }

  /** A model that a vertex calls in Python is known by the usage in its message. */
  #addPythonUsage({ outputs }: VertexRecord): void {
    for (const value of outputs.values()) {
      if (!(value instanceof Message) || value.fields.properties.usage === null) continue;
      const { usage, source } = value.fields.properties;
      const answer = { model: null, usage };
      this.#onAnswer({ provider: '', model: source.source ?? '', answer }, this.#entry);
      return;
    }
  }
}
