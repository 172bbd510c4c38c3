import type { Attributes, Context } from '@opentelemetry/api';
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace';
import { LRUCache } from 'lru-cache';
import { withDeadline } from '../time/with-deadline';
import { attemptOf } from './attempt-context';
import type { SpanAttempt } from './attempt-context';
import { hrTimeMilliseconds } from './hr-time';

/** More spans than a process has open or waiting for their export. */
const MAXIMUM_UNEXPORTED = 20_000;
const MAXIMUM_ATTEMPTS = 2_000;
const MAXIMUM_SPANS_OF_ATTEMPT = 100;
/** How long an export waits for the store. */
const STORE_MILLISECONDS = 500;
/** Only these attributes are kept: others can contain prompts, answers and queries. */
const KEPT_ATTRIBUTE =
  /^(?:millrace\.(?:run|vertex|flow|lane|pool)\b.*|gen_ai\.(?:operation\.name|provider\.name|request\.model|tool\.name|conversation\.id)|user\.id|session\.id)$/;

/** A span that was not exported, although spans below it were. */
export interface StartedSpan {
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly attributes: Attributes;
}

export interface StartedSpanStore {
  /** Replaces what is kept of the attempt; nothing is kept when there are no spans. */
  keep(attempt: SpanAttempt, spans: readonly StartedSpan[]): Promise<void>;
}

interface Kept {
  readonly attempt: SpanAttempt;
  readonly spans: Map<string, StartedSpan>;
}

/**
 * Keeps the spans of attempts that have begun and are not exported, while spans below them are. When this process is
 * killed, another one can record them, so that the trace stays one tree. Costs nothing until it has a store, and writes
 * only when an export separates a span from its parent.
 */
export class StartedSpans implements SpanProcessor {
  #store: StartedSpanStore | null = null;
  readonly #unexported = new LRUCache<string, { span: ReadableSpan; attempt: SpanAttempt }>({
    max: MAXIMUM_UNEXPORTED,
  });
  readonly #kept = new LRUCache<string, Kept>({ max: MAXIMUM_ATTEMPTS });

  keepIn(store: StartedSpanStore): void {
    this.#store = store;
  }

  onStart(span: ReadableSpan, parent: Context): void {
    if (this.#store === null) return;
    const attempt = attemptOf(parent);
    if (attempt !== null) this.#unexported.set(span.spanContext().spanId, { span, attempt });
  }

  onEnd(): void {
    // A span that has ended is still lost with the process until it is exported.
  }

  /** Keeps the spans above these that are not among them. Never rejects. */
  async beforeExport(spans: readonly ReadableSpan[]): Promise<void> {
    const exported = new Set(spans.map(idOf));
    const changed = new Set<Kept>();
    for (const span of spans) {
      if (!this.#unexported.has(idOf(span))) continue;
      for (
        let above = this.#above(span);
        above && !exported.has(idOf(above.span));
        above = this.#above(above.span)
      )
        this.#keep(above, changed);
    }
    await this.#write(changed);
  }

  /** Forgets these spans. Never rejects. */
  async afterExport(spans: readonly ReadableSpan[]): Promise<void> {
    const changed = new Set<Kept>();
    for (const span of spans) {
      const id = idOf(span);
      const found = this.#unexported.get(id);
      if (found === undefined) continue;
      this.#unexported.delete(id);
      const kept = this.#kept.get(keyOf(found.attempt));
      if (kept?.spans.delete(id) === true) changed.add(kept);
    }
    for (const { attempt, spans: left } of changed) if (left.size === 0) this.#kept.delete(keyOf(attempt));
    await this.#write(changed);
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    this.#store = null;
    return Promise.resolve();
  }

  #above({ parentSpanContext }: ReadableSpan): { span: ReadableSpan; attempt: SpanAttempt } | undefined {
    return parentSpanContext && this.#unexported.get(parentSpanContext.spanId);
  }

  #keep({ span, attempt }: { span: ReadableSpan; attempt: SpanAttempt }, changed: Set<Kept>): void {
    const key = keyOf(attempt);
    const kept = this.#kept.get(key) ?? { attempt, spans: new Map<string, StartedSpan>() };
    this.#kept.set(key, kept);
    const id = idOf(span);
    if (kept.spans.has(id) || kept.spans.size >= MAXIMUM_SPANS_OF_ATTEMPT) return;
    kept.spans.set(id, startedSpan(span));
    changed.add(kept);
  }

  async #write(changed: ReadonlySet<Kept>): Promise<void> {
    const store = this.#store;
    if (store === null || changed.size === 0) return;
    const writing = Promise.all(
      Array.from(changed, ({ attempt, spans }) => store.keep(attempt, [...spans.values()])),
    );
    // The store reports what it could not write; spans are exported in any case.
    await withDeadline(writing, STORE_MILLISECONDS, 'started spans are not kept yet').catch(() => undefined);
  }
}

function startedSpan(span: ReadableSpan): StartedSpan {
  const attributes = Object.entries(span.attributes).filter(([name]) => KEPT_ATTRIBUTE.test(name));
  return {
    spanId: idOf(span),
    parentSpanId: span.parentSpanContext?.spanId ?? null,
    name: span.name,
    kind: span.kind,
    startedAt: hrTimeMilliseconds(span.startTime),
    attributes: Object.fromEntries(attributes),
  };
}

function idOf(span: ReadableSpan): string {
  return span.spanContext().spanId;
}

function keyOf({ runId, attempt }: SpanAttempt): string {
  return `${runId} ${attempt}`;
}
