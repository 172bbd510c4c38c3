import { RunError, RunSuspension } from '@millrace/flow';
import type {
  MessageQuery,
  Plan,
  RunEvent,
  RunMoment,
  RunOverrides,
  RunRequest,
  PlanVertex,
} from '@millrace/flow';
import { nowWithMicroseconds, timestamp } from '@millrace/python-text';
import type { Message, TextStream, MessageUsage } from '@millrace/python-text';
import type { KeptResult, RunEnvironment } from './run-environment';
import type { ObservedRun } from './run-observer';
import { runEndedError } from './run-ended-error';
import { isSecretSetting, runSecrets } from './run-secrets';
import type { RunLifetime } from './run-lifetime';
import { SharedText } from './shared-text';
import type { VertexRecord } from './vertex-record';

/** A vertex that has ended. */
interface ExecutedVertex {
  readonly vertex: PlanVertex;
  readonly record: VertexRecord;
}

/** State that the vertices of one run share. */
export class OngoingRun {
  readonly timeSlice = new TimeSlice();
  readonly tokens = new TokenCounts();
  readonly observed: ObservedRun = {
    secrets: () => runSecrets(this),
    isSecret: (vertex, name) => isSecretSetting(this, vertex, name),
  };
  /** Texts that must not be shown, which this run and those that share the set found while they went on. */
  readonly foundSecrets: Set<string>;
  /** Those of them that errors must not show either. */
  readonly credentials: Set<string>;
  readonly #variables = new Map<string, Promise<string | undefined>>();
  readonly #knownVariables = new Map<string, string | undefined>();
  readonly #partials = new Set<string>();
  readonly #texts = new Set<SharedText>();
  /** Results by the place of their execution; none of a run that cannot be suspended. */
  readonly #results = new Map<string, ExecutedVertex>();
  readonly #unfinished: Promise<void>[] = [];
  /** Whole messages of agents that chat outputs which store nothing show, as they were stored. */
  readonly spoken = new WeakMap<Message, Promise<Message>>();
  readonly #stored = new Set<string | null>();
  /** Ids of messages of models: the first vertex that sends one takes its id, others send a message of their own. */
  readonly #ofModels = new Set<string>();
  #over = false;

  constructor(
    readonly plan: Plan,
    readonly request: RunRequest,
    readonly environment: RunEnvironment,
    readonly overrides: RunOverrides,
    readonly lifetime: RunLifetime,
    /** The vertices of the run are nested in this moment. */
    readonly moment: RunMoment,
  ) {
    this.foundSecrets = environment.foundSecrets ?? new Set();
    this.credentials = environment.credentials ?? new Set();
    // A part can pass its secrets on to the run that contains it.
    if (environment.part !== undefined) for (const secret of runSecrets(this)) this.foundSecrets.add(secret);
  }

  /** True when the run has ended, even if some of its work is still in flight. */
  get isOver(): boolean {
    return this.#over;
  }

  timestamp(): string {
    const created = timestamp(
      this.environment.now?.() ?? nowWithMicroseconds(this.environment.messageClock?.()),
    );
    this.environment.onTimestamp?.(created);
    return created;
  }

  /** Returns a variable of the request, else of the user, else of the process; each is looked up once per run. */
  variable(name: string): Promise<string | undefined> {
    let value = this.#variables.get(name);
    if (value === undefined) {
      value = this.#findVariable(name).then((found) => {
        this.#knownVariables.set(name, found);
        if (found !== undefined) this.foundSecrets.add(found);
        return found;
      });
      this.#variables.set(name, value);
    }
    return value;
  }

  /** Variables that were looked up so far. */
  get knownVariables(): ReadonlyMap<string, string | undefined> {
    return this.#knownVariables;
  }

  /** Hides texts in records, traces and errors from now on. */
  hide(texts: Iterable<string>): void {
    for (const text of texts) {
      this.credentials.add(text);
      this.foundSecrets.add(text);
    }
  }

  /** Makes the stream of a vertex readable for several readers, and closes its source when the run ends. */
  share(stream: TextStream, vertex: PlanVertex | null = null): SharedText {
    if (stream instanceof SharedText) return stream;
    const text = new SharedText(stream, this.environment.limits.maximumOutputBytes, vertex);
    this.#texts.add(text);
    return text;
  }

  /** Returns the vertex whose streamed text broke with an error that another vertex got while it read. */
  brokenVertex(error: unknown): PlanVertex | null {
    return [...this.#texts].find((text) => text.isBrokenBy(error))?.vertex ?? null;
  }

  /** Resolves when the texts of the vertices before this one have ended, and their tokens are known; null without texts. */
  textsBefore(vertex: PlanVertex): Promise<unknown> | null {
    if (this.#texts.size === 0) return null;
    const before = verticesBefore(this.plan, vertex);
    const texts = [...this.#texts].filter(({ vertex: owner }) => owner !== null && before.has(owner.index));
    return this.lifetime.within(Promise.allSettled(texts.map((text) => text.text())));
  }

  /** Stores a message. Nothing is stored or emitted after the run has ended. */
  async store(message: Message, at: RunMoment): Promise<void> {
    this.#checkOpen();
    this.#stored.add(message.fields.id);
    await asInternalError('store a message', this.environment.messages.store(message, at));
  }

  isStored({ fields }: Message): boolean {
    return this.#stored.has(fields.id);
  }

  /** Returns the messages of a session that are visible at a moment, after all of them are stored. */
  async read(query: MessageQuery, at: RunMoment): Promise<readonly Message[]> {
    if (!this.plan.readsSession)
      throw new Error('a component that does not declare readsSession reads messages');
    await at.settled();
    return asInternalError('read the messages of its session', this.environment.messages.read(query, at));
  }

  /** Emits an event to a streaming caller, and waits until they have accepted it. */
  async emit(event: RunEvent): Promise<void> {
    if (!this.request.stream) return;
    this.#checkOpen();
    await this.environment.emit(event);
  }

  /** Emits an event without waiting for the caller; the run waits for it at its end. */
  emitLater(event: RunEvent): void {
    if (this.request.stream) this.awaitAtEnd(this.emit(event));
  }

  /** Remembers the result of a vertex, in case that the run is suspended. */
  addResult(place: string, vertex: PlanVertex, record: VertexRecord): void {
    this.#results.set(place, { vertex, record });
  }

  /** Returns the result of a vertex that ended in an earlier attempt, and counts its tokens. */
  earlierResult(place: string, vertex: PlanVertex): KeptResult | undefined {
    const kept = this.environment.checkpoint?.resultAt(place);
    if (kept?.usage) this.tokens.add(vertex, kept.usage);
    return kept;
  }

  /** Keeps the results for the next attempt; `complete` waits for their texts. */
  async keepResults(
    complete: (run: OngoingRun, record: VertexRecord) => VertexRecord | Promise<VertexRecord>,
  ): Promise<void> {
    const { checkpoint } = this.environment;
    if (checkpoint === undefined) return;
    const kept = new Map<string, KeptResult>();
    for (const [place, { vertex, record }] of this.#results)
      try {
        kept.set(place, { record: await complete(this, record), usage: this.tokens.of(vertex) });
      } catch (error) {
        // A text whose vertex asked a person while it was read: the vertex has not ended.
        if (!(error instanceof RunSuspension)) throw error;
      }
    checkpoint.keep(kept);
  }

  /** Remembers the id of a message that has begun: every vertex that sends it sends the same message. */
  addPartial(id: string): void {
    this.#partials.add(id);
  }

  isPartial(id: string | null): id is string {
    return id !== null && this.#partials.has(id);
  }

  /** Remembers the id of a message of a model, which was sent and not stored, until a vertex sends it. */
  addOfModel(id: string): void {
    this.#ofModels.add(id);
  }

  /** Returns the id of a message that has begun, else null; that of a message of a model the first time only. */
  takeBegun(id: string | null): string | null {
    if (this.isPartial(id)) return id;
    return id !== null && this.#ofModels.delete(id) && !this.#stored.has(id) ? id : null;
  }

  /** Registers work that must end with the run; its failure does not affect the run. */
  awaitAtEnd(work: Promise<void>): void {
    this.#unfinished.push(
      work.catch((error: unknown) => {
        if (error !== runEndedError) this.environment.onSideFailure?.(error);
      }),
    );
  }

  /** Resolves when the registered work has ended; null when there is none. */
  finish(): Promise<unknown> | null {
    return this.#unfinished.length === 0 ? null : this.lifetime.within(Promise.all(this.#unfinished));
  }

  close(): void {
    this.#over = true;
    for (const text of this.#texts) text.close(runEndedError);
  }

  #checkOpen(): void {
    if (this.#over) throw runEndedError;
  }

  async #findVariable(name: string): Promise<string | undefined> {
    const { globalVariables } = this.request;
    if (Object.hasOwn(globalVariables, name)) return globalVariables[name];
    const stored = await asInternalError(`look up the variable "${name}"`, this.environment.variable(name));
    return stored ?? this.environment.environmentVariable?.(name);
  }
}

/** Converts a failure outside of the flow: another attempt can succeed, and the caller sees no details. */
async function asInternalError<Result>(what: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw new RunError('internal', `The run could not ${what}.`, { cause, permanent: false });
  }
}

/** The tokens that the model calls of each vertex of a run have used, as far as the providers report them. */
class TokenCounts {
  readonly #byVertex = new Map<number, MessageUsage>();

  add({ index }: PlanVertex, usage: MessageUsage): void {
    this.#byVertex.set(index, sum(this.#byVertex.get(index), usage));
  }

  /** Returns the tokens that a vertex has used; null when none are known. */
  of({ index }: PlanVertex): MessageUsage | null {
    return this.#byVertex.get(index) ?? null;
  }

  /** Returns a message with the tokens that its vertex and all vertices before it have used; the same message without any. */
  withUsageBefore(plan: Plan, vertex: PlanVertex, message: Message): Message {
    if (this.#byVertex.size === 0) return message;
    let usage: MessageUsage | undefined;
    for (const index of verticesBefore(plan, vertex)) {
      const used = this.#byVertex.get(index);
      if (used !== undefined) usage = sum(usage, used);
    }
    if (usage === undefined) return message;
    return message.with({ properties: { ...message.fields.properties, usage } });
  }
}

/** Returns the indexes of a vertex and of all vertices from which edges lead to it. */
function verticesBefore(plan: Plan, vertex: PlanVertex): ReadonlySet<number> {
  const found = new Set([vertex.index]);
  for (const index of found) for (const { source } of plan.vertices[index]?.incoming ?? []) found.add(source);
  return found;
}

function sum(one: MessageUsage | undefined, other: MessageUsage): MessageUsage {
  const inputTokens = (one?.input_tokens ?? 0) + (other.input_tokens ?? 0);
  const outputTokens = (one?.output_tokens ?? 0) + (other.output_tokens ?? 0);
  const totalTokens = (one?.total_tokens ?? 0) + (other.total_tokens ?? 0);
  return { input_tokens: inputTokens, output_tokens: outputTokens, total_tokens: totalTokens };
}

/** Time after which a run must yield to other work in the process. */
const sliceMilliseconds = 10;

/** The time slice of a run in the event loop: counts the time in which it works without waiting. */
class TimeSlice {
  #worked = 0;

  get isOver(): boolean {
    return this.#worked > sliceMilliseconds;
  }

  count(milliseconds: number): void {
    this.#worked += milliseconds;
  }

  /** Calls back after timers, signals and other runs have been processed. */
  yieldToEventLoop(resume: () => void): void {
    setImmediate(() => {
      this.#worked = 0;
      resume();
    });
  }
}
