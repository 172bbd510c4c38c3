import type { KeyValueStore } from '@millrace/key-value';
import { machineTime, propagatesTraces, recordUnendedSpan } from '@millrace/service';
import type { Logger, SpanAttempt, StartedSpan, StartedSpanStore } from '@millrace/service';
import { attemptAttributes, attemptSpanId, attemptSpanName, flowNameAttributes } from './attempt-span';
import type { SpannedAttempt } from './attempt-span';

/** A run whose executor was killed can wait this long for its next attempt. */
const TTL_MILLISECONDS = 24 * 3_600_000;
const INTERNAL_SPAN = 0;
const LOST = { errorType: 'executor_lost', message: 'The executor of the attempt was lost.' };
const CRASHED = { errorType: 'process_lost', message: 'The process of the attempt ended before this step.' };

/** The process that executes an attempt: an executor, or a process for this attempt alone. */
export type AttemptProcess = 'executor' | 'single-run';

/** An attempt whose executor was lost with it. */
export interface LostSpannedAttempt extends SpannedAttempt {
  /** The span above that of the attempt; null without a trace. */
  readonly traceparent: string | null;
  readonly acceptedAt: Date;
}

export interface LostAttemptsOptions {
  readonly keyValue: Pick<KeyValueStore, 'getMany' | 'set' | 'delete'>;
  readonly flowNames: { get(flowId: string): Promise<string | null> };
  readonly logger: Logger;
}

/**
 * Records the spans that an executor had begun when it was killed: that of the attempt, and the steps that were running.
 * Their ids are those under which what the executor had exported names them, so the trace is one tree.
 */
export class LostAttempts {
  readonly #options: LostAttemptsOptions;
  #isStoreFailing = false;

  constructor(options: LostAttemptsOptions) {
    this.#options = options;
  }

  /** Returns where this process keeps spans that it has begun. */
  storeOf(place: AttemptProcess): StartedSpanStore {
    const { keyValue } = this.#options;
    return {
      keep: async (attempt, spans) => {
        const key = keyOf(attempt, place);
        const text = JSON.stringify(spans);
        try {
          if (spans.length === 0) await keyValue.delete([key]);
          else await keyValue.set(key, text, { ttlMilliseconds: TTL_MILLISECONDS });
          this.#isStoreFailing = false;
        } catch (error) {
          this.#warnOnce(error, attempt);
        }
      },
    };
  }

  /**
   * Records the span of an attempt and of the steps that were running. Without a kept span, the start of the attempt is
   * not known: the span then starts when the run was accepted. All end now. Never rejects.
   */
  async record(lost: LostSpannedAttempt): Promise<void> {
    const { traceparent, flowId, acceptedAt } = lost;
    if (traceparent === null || !propagatesTraces()) return;
    const endedAt = machineTime();
    const flowName = await this.#flowName(flowId);
    const spanId = attemptSpanId(lost);
    const steps = await this.#read(lost, ['executor', 'single-run']);
    const kept = steps.find((span) => span.spanId === spanId);
    const attributes = {
      ...kept?.attributes,
      ...attemptAttributes(lost),
      ...flowNameAttributes(flowName),
      'millrace.run.status': 'executor_lost',
    };
    const whole: StartedSpan = {
      spanId,
      parentSpanId: kept?.parentSpanId ?? null,
      name: attemptSpanName(flowId, flowName),
      kind: INTERNAL_SPAN,
      startedAt: kept?.startedAt ?? acceptedAt.getTime(),
      attributes,
    };
    for (const span of [whole, ...steps.filter((step) => step !== kept)])
      recordUnendedSpan({ ...span, ...LOST, traceparent, endedAt });
  }

  /** Records the steps that were running in the crashed process of one attempt, whose executor lives. Never rejects. */
  async recordCrash(attempt: SpanAttempt, traceparent: string | null): Promise<void> {
    if (traceparent === null || !propagatesTraces()) return;
    const endedAt = machineTime();
    for (const span of await this.#read(attempt, ['single-run']))
      recordUnendedSpan({ ...span, ...CRASHED, traceparent, endedAt });
  }

  async #read(attempt: SpanAttempt, places: readonly AttemptProcess[]): Promise<readonly StartedSpan[]> {
    try {
      const texts = await this.#options.keyValue.getMany(places.map((place) => keyOf(attempt, place)));
      return texts.flatMap((text) => (text === null ? [] : (JSON.parse(text) as StartedSpan[])));
    } catch (error) {
      this.#warnOnce(error, attempt);
      return [];
    }
  }

  async #flowName(flowId: string): Promise<string | null> {
    return this.#options.flowNames.get(flowId).catch(() => null);
  }

  #warnOnce(error: unknown, { runId, attempt }: SpanAttempt): void {
    if (this.#isStoreFailing) return;
    this.#isStoreFailing = true;
    const consequence = 'the trace of a run whose executor is killed can lack spans';
    this.#options.logger.warn({ error, runId, attempt }, `started spans are not kept: ${consequence}`);
  }
}

function keyOf({ runId, attempt }: SpanAttempt, place: AttemptProcess): string {
  return `spans:${runId}:${attempt}:${place}`;
}
