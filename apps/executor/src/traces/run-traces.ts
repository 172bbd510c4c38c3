import { context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, Span } from '@opentelemetry/api';
import { attemptAttributes, attemptSpanId, attemptSpanName, flowNameAttributes } from '@millrace/dispatch';
import type { LostAttempts, SpannedAttempt } from '@millrace/dispatch';
import type { RunObserver } from '@millrace/engine';
import {
  activeTraceparent,
  contextOfAttempt,
  machineTime,
  spanContextOf,
  withSpanId,
} from '@millrace/service';
import type { Environment, SpanAttempt } from '@millrace/service';
import { capturesContent } from './captures-content';
import type { FlowNames } from './flow-names';
import { OpenSpans } from './open-spans';
import { RunTrace } from './run-trace';
import { SpanObserver } from './span-observer';

/** An attempt that begins. */
export interface TracedAttempt extends SpannedAttempt {
  /** Null when the request cannot be read. */
  readonly sessionId: string | null;
  /** The trace of the request; null when the active one is its trace, or when it has none. */
  readonly traceparent: string | null;
  /** The trace of the run that this one replays; null for other runs. */
  readonly replayedTraceparent: string | null;
  /** The number of the attempt before, when its executor was lost; null otherwise. */
  readonly lostAttempt: number | null;
  readonly acceptedAt: Date;
  /** Time since the run was accepted; null for a later attempt, which did not wait all the time. */
  readonly waitedMilliseconds: number | null;
}

export interface RunTracesOptions {
  readonly names: FlowNames;
  readonly lost: LostAttempts;
  readonly environment: Environment;
}

/** The steps of an attempt in a process of its own. */
export interface ObservedAttempt {
  readonly observer: RunObserver;
  readonly spans: OpenSpans;
  /** Calls the function so that its spans belong to the attempt. */
  within<Value>(work: () => Value): Value;
}

/** Creates the spans of runs. Exists only when the process is traced. */
export class RunTraces {
  /** Records the attempts of executors that were lost. */
  readonly lost: LostAttempts;
  readonly #names: FlowNames;
  readonly #capturesContent: boolean;
  readonly #tracer = trace.getTracer('millrace');

  constructor({ names, lost, environment }: RunTracesOptions) {
    this.#names = names;
    this.lost = lost;
    this.#capturesContent = capturesContent(environment);
  }

  /** Begins the span of an attempt, in the trace of its request. */
  begin(attempt: TracedAttempt): RunTrace {
    const parent = contextOfAttempt(parentOf(attempt.traceparent), attempt);
    this.#recordWait(attempt, parent);
    if (attempt.lostAttempt !== null) this.#recordLost(attempt, attempt.lostAttempt, parent);
    const span = this.#start(attempt, parent);
    return new RunTrace({
      span,
      inside: trace.setSpan(parent, span),
      named: span.isRecording() ? this.#name(span, attempt) : Promise.resolve(),
      capturesContent: this.#capturesContent,
    });
  }

  /** Starts the span under the id of the attempt, so that another process can record it when this one is lost. */
  #start(attempt: TracedAttempt, parent: Context): Span {
    const options = {
      kind: SpanKind.INTERNAL,
      attributes: attributesOf(attempt),
      links: linksOf(attempt),
    };
    return withSpanId(attemptSpanId(attempt), () =>
      this.#tracer.startSpan('invoke_workflow', options, parent),
    );
  }

  async #name(span: Span, { flowId }: TracedAttempt): Promise<void> {
    const flowName = await this.#names.get(flowId);
    span.updateName(attemptSpanName(flowId, flowName));
    span.setAttributes(flowNameAttributes(flowName));
  }

  #recordLost(next: TracedAttempt, attempt: number, parent: Context): void {
    void this.lost.record({ ...next, attempt, traceparent: context.with(parent, activeTraceparent) });
  }

  /** Observes an attempt in a separate process, whose span is in the process of the executor. */
  observe(attempt: SpanAttempt): ObservedAttempt {
    const spans = new OpenSpans();
    return {
      spans,
      observer: new SpanObserver({ spans, capturesContent: this.#capturesContent }),
      within: (work) => context.with(contextOfAttempt(context.active(), attempt), work),
    };
  }

  /** The wait is over now, and its length was measured by the clock of the database. */
  #recordWait({ lane, pool, runId, waitedMilliseconds }: TracedAttempt, parent: Context): void {
    if (waitedMilliseconds === null) return;
    const now = machineTime();
    const attributes = { 'millrace.run.id': runId, 'millrace.lane': lane, 'millrace.pool': pool };
    this.#tracer
      .startSpan('queue', { startTime: now - Math.max(0, waitedMilliseconds), attributes }, parent)
      .end(now);
  }
}

/** The active span belongs to the delivery. The row names the request, which matters when the message has no trace. */
function parentOf(traceparent: string | null): Context {
  const active = context.active();
  const given = traceparent === null ? null : spanContextOf(traceparent);
  if (given === null || trace.getSpanContext(active)?.traceId === given.traceId) return active;
  return trace.setSpanContext(ROOT_CONTEXT, given);
}

function linksOf({ replayedTraceparent }: TracedAttempt): Link[] {
  const replayed = replayedTraceparent === null ? null : spanContextOf(replayedTraceparent);
  return replayed === null ? [] : [{ context: replayed, attributes: { 'millrace.link': 'replayed_run' } }];
}

function attributesOf(attempt: TracedAttempt): Attributes {
  const { sessionId, waitedMilliseconds } = attempt;
  return {
    ...attemptAttributes(attempt),
    ...(sessionId === null ? {} : { 'gen_ai.conversation.id': sessionId, 'session.id': sessionId }),
    ...(waitedMilliseconds === null ? {} : { 'millrace.run.queue_milliseconds': waitedMilliseconds }),
  };
}
