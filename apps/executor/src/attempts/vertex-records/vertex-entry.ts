import type { VertexExecution, VertexRecord, VertexValues } from '@millrace/engine';
import { UsageTotals } from './usage-totals';

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
  }

  succeed(record: VertexRecord, started: number, now: number): void {
    this.#end(started, now);
    if (!this.hasFailed) this.record = record;
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
