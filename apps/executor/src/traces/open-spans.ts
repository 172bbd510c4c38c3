import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanOptions } from '@opentelemetry/api';
import type { ObservedStep } from '@millrace/flow';
import { errorTypeOf } from './error-type';

const tracer = trace.getTracer('millrace');

export interface StepSpan<Result> extends SpanOptions {
  readonly name: string;
  /** Returns the attributes of the result. */
  readonly describe: (result: Result) => Attributes;
  /** Returns the text of an error; without it only the type is recorded: a text can contain what was sent. */
  readonly textOf?: (error: unknown) => string;
}

/** The steps of one run that have begun and not ended. */
export class OpenSpans {
  readonly #open = new Set<{ failed(error: unknown): void }>();

  /** Begins a step, as a child of the active span. */
  begin<Result>(order: StepSpan<Result>): SpanStep<Result> {
    const parent = context.active();
    const span = tracer.startSpan(order.name, order, parent);
    const step: SpanStep<Result> = new SpanStep(order, {
      span,
      inside: trace.setSpan(parent, span),
      onEnd: () => this.#open.delete(step),
    });
    this.#open.add(step);
    return step;
  }

  /** Ends the steps whose work has not settled. */
  close(): void {
    for (const step of this.#open) step.failed(new Error('The run ended before this step.'));
  }
}

interface SpanParts {
  readonly span: Span;
  readonly inside: Context;
  readonly onEnd: () => void;
}

/** A step of a run as a span. */
export class SpanStep<Result> implements ObservedStep<Result> {
  readonly #order: StepSpan<Result>;
  readonly #parts: SpanParts;

  constructor(order: StepSpan<Result>, parts: SpanParts) {
    this.#order = order;
    this.#parts = parts;
  }

  within<Value>(work: () => Value): Value {
    return context.with(this.#parts.inside, work);
  }

  succeeded(result: Result): void {
    const { span } = this.#parts;
    if (!span.isRecording()) return;
    span.setAttributes(this.#order.describe(result));
    this.#end();
  }

  failed(error: unknown): void {
    const { span } = this.#parts;
    if (!span.isRecording()) return;
    span.setAttribute('error.type', errorTypeOf(error));
    const message = this.#order.textOf?.(error);
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
    this.#end();
  }

  #end(): void {
    this.#parts.span.end();
    this.#parts.onEnd();
  }
}
