import type { VertexExecution, VertexRecord, VertexValues } from '@millrace/engine';
import { UsageTotals } from './usage-totals';

/** Approximate sizes as JSON, in bytes; null above 1 MiB. */
export interface ValueSizes {
  readonly inputs: number | null;
  readonly outputs: number | null;
}

/** The sum of all executions of one vertex in one attempt; the values of its first failure, else of its last execution. */
export class VertexEntry {
  readonly execution: VertexExecution;
  readonly usage = new UsageTotals();
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

  #end(started: number, now: number): void {
    this.open -= 1;
    this.lastEnd = now;
    this.milliseconds += now - started;
    this.longest = Math.max(this.longest, now - started);
  }
}
