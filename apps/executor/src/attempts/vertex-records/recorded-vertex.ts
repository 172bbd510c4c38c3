import type { VertexExecution, VertexRecord, VertexValues, ObservedVertex } from '@millrace/engine';
import type {
  ObservedDocuments,
  ObservedModelAnswer,
  ObservedModelCall,
  ObservedStep,
  ObservedToolCall,
} from '@millrace/flow';
import { Message } from '@millrace/python-text';
import type { UsageTotals } from './model-usage';
import { RecordedCall } from './recorded-call';

/** Further calls of a vertex are counted only. */
const MAXIMUM_CALLS = 50;
const NO_CALLS: readonly RecordedCall[] = [];

/** Approximate sizes as JSON, in bytes; null above 1 MiB. */
export interface ValueSizes {
  readonly inputs: number | null;
  readonly outputs: number | null;
}

/** The sum of all executions of one vertex in one attempt; the values of its first failure, else of its last execution. */
export class VertexEntry {
  readonly execution: VertexExecution;
  /** Null until a model answers. */
  usage: UsageTotals | null = null;
  executions = 0;
  /** Executions that have not ended. */
  open = 0;
  firstStart = 0;
  lastEnd = 0;
  milliseconds = 0;
  longest = 0;
  toolCalls = 0;
  values: VertexValues | null = null;
  record: VertexRecord | null = null;
  /** The last answer of a model: the text of an output that was streamed. */
  answer = '';
  /** Sizes of the values; null until they are measured. */
  sizes: ValueSizes | null = null;
  hasFailed = false;
  error: unknown = null;
  #calls: RecordedCall[] | null = null;

  constructor(execution: VertexExecution) {
    this.execution = execution;
  }

  begin(now: number): void {
    if (this.executions === 0) this.firstStart = now;
    this.executions += 1;
    this.open += 1;
  }

  given(values: VertexValues): void {
    if (this.hasFailed) return;
    this.values = values;
    this.record = null;
    this.sizes = null;
  }

  succeed(record: VertexRecord, started: number, now: number): void {
    this.#end(started, now);
    if (this.hasFailed) return;
    this.record = record;
    this.sizes = null;
  }

  /** Notes the answer of a model. */
  answered(text: string): void {
    this.answer = text;
    this.sizes = null;
  }

  fail(error: unknown, started: number, now: number): void {
    this.#end(started, now);
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.error = error;
  }

  /** The first calls of models and tools, in the order of their start. */
  get calls(): readonly RecordedCall[] {
    return this.#calls ?? NO_CALLS;
  }

  addCall(call: RecordedCall): void {
    this.#calls ??= [];
    if (this.#calls.length < MAXIMUM_CALLS) this.#calls.push(call);
  }

  #end(started: number, now: number): void {
    this.open -= 1;
    this.lastEnd = now;
    this.milliseconds += now - started;
    this.longest = Math.max(this.longest, now - started);
  }
}

/** The model that was called, and its answer. */
export type ModelAnswer = Pick<ObservedModelCall, 'provider' | 'model'> & {
  readonly answer: Pick<ObservedModelAnswer, 'model' | 'usage'>;
  /** Absent for a call that is known by its answer alone. */
  readonly call?: RecordedCall;
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

  modelCall(model: ObservedModelCall): ObservedStep<ObservedModelAnswer> {
    this.#hasModelCalls = true;
    const entry = this.#entry;
    const onAnswer = this.#onAnswer;
    const { provider, model: name } = model;
    const call = new RecordedCall({ model });
    entry.addCall(call);
    return {
      within,
      succeeded: (answer) => {
        entry.answered(answer.text);
        call.answer = answer;
        call.end();
        onAnswer({ provider, model: name, answer, call }, entry);
      },
      failed: (error) => call.fail(error),
    };
  }

  toolCall(tool: ObservedToolCall): ObservedStep<string> {
    this.#entry.toolCalls += 1;
    const call = new RecordedCall({ tool });
    this.#entry.addCall(call);
    return {
      within,
      succeeded: (result) => {
        call.result = result;
        call.end();
      },
      failed: (error) => call.fail(error),
    };
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
