import { hash } from 'node:crypto';
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Context, Link, Span, SpanOptions } from '@opentelemetry/api';
import type { Lane } from '@millrace/contracts';
import type { RunObserver } from '@millrace/engine';
import { machineTime, spanContextOf, withSpanId } from '@millrace/service';
import type { Environment } from '@millrace/service';
import { capturesContent } from './captures-content';
import type { FlowNames } from './flow-names';
import { OpenSpans } from './open-spans';
import { RunTrace } from './run-trace';
import { SpanObserver } from './span-observer';

const SPAN_ID_DIGITS = 16;

/** An attempt that begins. */
export interface TracedAttempt {
  readonly runId: string;
  readonly attempt: number;
  readonly userId: string;
  readonly flowId: string;
  readonly flowVersion: number;
  readonly lane: Lane;
  readonly pool: string;
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
  readonly environment: Environment;
}

/** Creates the spans of runs. Exists only when the process is traced. */
export class RunTraces {
  readonly #names: FlowNames;
  readonly #capturesContent: boolean;
  readonly #tracer = trace.getTracer('millrace');

  constructor({ names, environment }: RunTracesOptions) {
    this.#names = names;
    this.#capturesContent = capturesContent(environment);
  }

  /** Begins the span of an attempt, in the trace of its request. */
  begin(attempt: TracedAttempt): RunTrace {
    const parent = parentOf(attempt.traceparent);
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
  #start(attempt: TracedAttempt, parent: Context, startTime?: Date): Span {
    const options: SpanOptions = {
      kind: SpanKind.INTERNAL,
      attributes: attributesOf(attempt),
      links: linksOf(attempt),
      ...(startTime && { startTime }),
    };
    return withSpanId(attemptSpanId(attempt), () =>
      this.#tracer.startSpan('invoke_workflow', options, parent),
    );
  }

  async #name(span: Span, { flowId }: TracedAttempt): Promise<void> {
    const flowName = await this.#names.get(flowId);
    span.updateName(`invoke_workflow ${flowName ?? flowId}`);
    if (flowName !== null) span.setAttributes(nameAttributes(flowName));
  }

  /**
   * Records the span of an attempt whose executor was lost with it: what that executor had exported has its parent. The
   * start of the attempt is not known, so the span starts when the run was accepted. It ends now.
   */
  #recordLost(next: TracedAttempt, number: number, parent: Context): void {
    const attempt = { ...next, attempt: number, waitedMilliseconds: null };
    const span = this.#start(attempt, parent, next.acceptedAt);
    if (!span.isRecording()) return;
    span.setAttributes({ 'millrace.run.status': 'executor_lost', 'error.type': 'executor_lost' });
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'The executor of the attempt was lost.' });
    const endedAt = machineTime();
    void this.#name(span, attempt).then(() => span.end(endedAt));
  }

  /** Observes an attempt in a separate process, whose span is in the process of the executor. */
  observe(): { readonly observer: RunObserver; readonly spans: OpenSpans } {
    const spans = new OpenSpans();
    return { spans, observer: new SpanObserver({ spans, capturesContent: this.#capturesContent }) };
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

/** Returns the id of the span of an attempt, which each process can compute. */
function attemptSpanId({ runId, attempt }: TracedAttempt): string {
  return hash('sha256', `${runId} ${attempt}`).slice(0, SPAN_ID_DIGITS);
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
    'gen_ai.operation.name': 'invoke_workflow',
    'millrace.run.id': attempt.runId,
    'millrace.run.attempt': attempt.attempt,
    'millrace.flow.id': attempt.flowId,
    'millrace.flow.version': attempt.flowVersion,
    'millrace.lane': attempt.lane,
    'millrace.pool': attempt.pool,
    'user.id': attempt.userId,
    ...(sessionId === null ? {} : { 'gen_ai.conversation.id': sessionId, 'session.id': sessionId }),
    ...(waitedMilliseconds === null ? {} : { 'millrace.run.queue_milliseconds': waitedMilliseconds }),
  };
}

/** Releases of the conventions disagree about the attribute. */
function nameAttributes(flowName: string): Attributes {
  return { 'gen_ai.workflow.name': flowName, 'gen_ai.agent.name': flowName };
}
