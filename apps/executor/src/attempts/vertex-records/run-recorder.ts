import type { RecordSettings } from '@millrace/flow';
import type { RunEnd } from '@millrace/messages';
import type { ObservedRun, ObservedVertex, RunObserver, VertexExecution } from '@millrace/engine';
import type { RunObservations, RunUsage } from '@millrace/runs';
import type { ExecutorSettings } from '../../settings';
import { ModelPrices } from './model-prices';
import { RareRuns } from './rare-runs';
import { SecretMask } from '../../secret-mask';
import { buildTrace, decideRecord, policyOf, shownUsage } from './build-trace';
import type { KeptRecord, RecordPolicy } from './build-trace';
import { RecordedVertex, VertexEntry } from './recorded-vertex';
import type { ModelAnswer } from './recorded-vertex';
import { addUsage, UsageTotals } from './model-usage';

const MAXIMUM_VERTICES = 200;
/** How long one answer to a watcher of the run measures values. */
const LIVE_MEASURING_MILLISECONDS = 10;
/** Further vertices are kept only if they fail. */
const MAXIMUM_FURTHER_VERTICES = 20;

/** The first run is the outermost one. More than these are parts, of which most have ended. */
const MAXIMUM_RUNS = 50;

const NOTHING: RunObservations = {};

/** What an executor records of its attempts. */
export interface Recording {
  /** Null when no records of vertices are kept. */
  readonly policy: RecordPolicy | null;
  readonly prices: ModelPrices;
  readonly rareRuns: RareRuns;
}

type RecordingSettings = Pick<
  ExecutorSettings,
  | 'MILLRACE_VERTEX_RECORDS'
  | 'MILLRACE_VERTEX_RECORD_SAMPLE_RATE'
  | 'MILLRACE_VERTEX_RECORD_VALUES'
  | 'MILLRACE_MODEL_PRICES'
>;

/** Returns what the settings of an executor say about the records of vertices and the prices of models. */
export function recordingOf(settings: RecordingSettings): Recording {
  const { MILLRACE_VERTEX_RECORDS, MILLRACE_VERTEX_RECORD_SAMPLE_RATE, MILLRACE_VERTEX_RECORD_VALUES } =
    settings;
  return {
    prices: new ModelPrices(settings.MILLRACE_MODEL_PRICES),
    rareRuns: new RareRuns(),
    policy: MILLRACE_VERTEX_RECORDS
      ? { sampleRate: MILLRACE_VERTEX_RECORD_SAMPLE_RATE, values: MILLRACE_VERTEX_RECORD_VALUES }
      : null,
  };
}

/** The attempt that is recorded. */
export interface RecordedAttempt {
  readonly runId: string;
  readonly flowId: string;
  readonly attempt: number;
  /** By the database's clock, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** What the flow sets; null when it sets nothing. */
  readonly settings: RecordSettings | null;
  /** Whether the values of its vertices are kept unless the flow forbids it. */
  readonly keepsValues?: boolean | undefined;
  /** Whether the attempt before has failed. Its records stay unless the run is part of the sample. */
  readonly followsFailure?: boolean | undefined;
}

/** What an attempt did, as it is stored with its end. */
export interface AttemptRecord {
  /** A RunTrace as JSON text; null when none is kept. */
  readonly trace: string | null;
  readonly usage: RunUsage | null;
  /** The vertex that took most of the time; null when none ran. */
  readonly slowest: { readonly vertexId: string; readonly milliseconds: number } | null;
}

/**
 * Observes an attempt and adds up what each of its vertices does, in bounded memory: a vertex that runs again, in a
 * loop, a cycle or a part that runs several times, adds to its entry. Values are only referred to; they are converted
 * when a record of them is kept.
 */
export class RunRecorder implements RunObserver {
  readonly #recording: Recording;
  readonly #attempt: RecordedAttempt;
  readonly #started = performance.now();
  readonly #entries = new Map<string, VertexEntry>();
  readonly #furtherEntries: VertexEntry[] = [];
  readonly #runs = new RecordedRuns();
  /** Null until a model answers. */
  #usage: UsageTotals | null = null;
  #furtherExecutions = 0;

  constructor(recording: Recording, attempt: RecordedAttempt) {
    this.#recording = recording;
    this.#attempt = attempt;
  }

  vertex(execution: VertexExecution): ObservedVertex {
    this.#runs.add(execution.run);
    return new RecordedVertex(this.#entryOf(execution), this.#addAnswer);
  }

  /** Returns what the attempt did; must be called once, when it has ended. */
  end(status: RunEnd): AttemptRecord {
    const usage = shownUsage(this.#usage?.sum() ?? null, () => this.#runs.mask());
    return { trace: this.#trace(status), usage, slowest: this.#slowest() };
  }

  /** Returns what the vertices have done so far, without values: a RunTrace as JSON text. */
  traceSoFar(): string {
    return this.#traceOf({ reason: 'running', withValues: false }, LIVE_MEASURING_MILLISECONDS);
  }

  #trace(status: RunEnd): string | null {
    const { runId, flowId, settings, keepsValues, followsFailure = false } = this.#attempt;
    const { policy, rareRuns } = this.#recording;
    const isRare = () => !followsFailure && rareRuns.take(flowId);
    const kept = policy && decideRecord(policyOf(policy, settings, keepsValues), runId, status, isRare);
    return kept === null ? null : this.#traceOf(kept, Number.POSITIVE_INFINITY);
  }

  #traceOf(kept: KeptRecord, millisecondsLeft: number): string {
    const { flowId, attempt, startedAt } = this.#attempt;
    const further = this.#furtherEntries.filter(({ hasFailed }) => hasFailed);
    return buildTrace([...this.#entries.values(), ...further], {
      flowId,
      attempt,
      startedAt,
      started: this.#started,
      kept,
      measuring: { millisecondsLeft },
      mask: this.#runs.mask(),
      omitted: this.#furtherExecutions - further.length,
    });
  }

  #entryOf(execution: VertexExecution): VertexEntry {
    const key = `${execution.flowId} ${execution.vertex.id}`;
    const known = this.#entries.get(key);
    if (known) return known;
    const entry = new VertexEntry(execution);
    if (this.#entries.size < MAXIMUM_VERTICES) this.#entries.set(key, entry);
    else this.#addFurther(entry);
    return entry;
  }

  #addFurther(entry: VertexEntry): void {
    this.#furtherExecutions += 1;
    const replaced = this.#furtherEntries.findIndex(({ open, hasFailed }) => open === 0 && !hasFailed);
    if (replaced !== -1) this.#furtherEntries[replaced] = entry;
    else if (this.#furtherEntries.length < MAXIMUM_FURTHER_VERTICES) this.#furtherEntries.push(entry);
  }

  readonly #addAnswer = (
    { provider, model, answer, call: recorded }: ModelAnswer,
    entry: VertexEntry,
  ): void => {
    const { prices } = this.#recording;
    const { usage } = answer;
    const tokens = usage && { input: usage.input_tokens ?? 0, output: usage.output_tokens ?? 0 };
    const costOf = (of: string | null): number | null =>
      tokens && of !== null ? prices.cost(provider, of, tokens) : null;
    // The name of a deployment has no price, but its answer names the model.
    const cost = costOf(model) ?? costOf(answer.model);
    const call = { provider, model: model === '' ? (answer.model ?? '') : model, tokens, cost };
    (entry.usage ??= new UsageTotals()).add(call);
    (this.#usage ??= new UsageTotals()).add(call);
    if (recorded === undefined) return;
    recorded.tokens = tokens;
    recorded.cost = cost;
  };

  #slowest(): AttemptRecord['slowest'] {
    let slowest: VertexEntry | null = null;
    for (const entry of this.#entries.values())
      if (slowest === null || entry.milliseconds > slowest.milliseconds) slowest = entry;
    return slowest && { vertexId: slowest.execution.vertex.id, milliseconds: slowest.milliseconds };
  }
}

/** Returns the record of an attempt as it is stored; `earlierUsage` is what earlier attempts used, as stored. */
export function storedRecord(
  record: AttemptRecord | undefined,
  earlierUsage: string | null,
): RunObservations {
  if (record === undefined || (record.trace === null && record.usage === null)) return NOTHING;
  const { trace, usage } = record;
  if (usage === null) return { trace };
  const all = earlierUsage === null ? usage : addUsage(JSON.parse(earlierUsage) as RunUsage, usage);
  return { trace, usage: JSON.stringify(all) };
}

/** The run and its parts that an attempt consists of: what each of them must not show. */
export class RecordedRuns {
  readonly #runs = new Set<ObservedRun>();
  readonly #secrets = new Set<string>();

  /** Adds the run of a vertex that begins. */
  add(run: ObservedRun): void {
    if (this.#runs.has(run)) return;
    if (this.#runs.size >= MAXIMUM_RUNS) this.#release();
    this.#runs.add(run);
  }

  /** Returns the mask of the secrets that all runs have found so far. */
  mask(): SecretMask {
    for (const run of this.#runs) this.#collect(run);
    return new SecretMask(this.#secrets);
  }

  /** Keeps the secrets of the oldest part in place of the part. */
  #release(): void {
    const [, oldest] = this.#runs;
    if (oldest === undefined) return;
    this.#collect(oldest);
    this.#runs.delete(oldest);
  }

  #collect(run: ObservedRun): void {
    for (const secret of run.secrets()) this.#secrets.add(secret);
  }
}
