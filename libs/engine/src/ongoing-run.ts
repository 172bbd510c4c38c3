import { RunError, nowWithMicroseconds, timestamp } from '@millrace/flow';
import type {
  Message,
  MessageQuery,
  Plan,
  RunEvent,
  RunMoment,
  RunOverrides,
  RunRequest,
  TextStream,
} from '@millrace/flow';
import type { RunEnvironment } from './run-environment';
import { runIsOver } from './run-is-over';
import type { RunLifetime } from './run-lifetime';
import { SharedText } from './shared-text';
import { Turn } from './turn';

/** What the vertices of one run share. */
export class OngoingRun {
  readonly turn = new Turn();
  readonly #variables = new Map<string, Promise<string | undefined>>();
  readonly #knownVariables = new Map<string, string | undefined>();
  readonly #texts = new Set<SharedText>();
  readonly #unfinished: Promise<void>[] = [];
  #over = false;

  constructor(
    readonly plan: Plan,
    readonly request: RunRequest,
    readonly environment: RunEnvironment,
    readonly overrides: RunOverrides,
    readonly lifetime: RunLifetime,
    /** When it takes place: its vertices run inside of this moment. */
    readonly moment: RunMoment,
  ) {}

  /** True when the run has ended, whatever work of its is still in hand. */
  get isOver(): boolean {
    return this.#over;
  }

  timestamp(): string {
    const made = timestamp(
      this.environment.now?.() ?? nowWithMicroseconds(this.environment.messageClock?.()),
    );
    this.environment.stamped?.(made);
    return made;
  }

  /** A variable of the request, else of the user, else of the process; each is looked up once in a run. */
  variable(name: string): Promise<string | undefined> {
    let value = this.#variables.get(name);
    if (value === undefined) {
      value = this.#findVariable(name).then((found) => {
        this.#knownVariables.set(name, found);
        return found;
      });
      this.#variables.set(name, value);
    }
    return value;
  }

  /** The variables that have been looked up so far. */
  get knownVariables(): ReadonlyMap<string, string | undefined> {
    return this.#knownVariables;
  }

  /** Makes text that is being made readable for several, and stops its source when the run ends. */
  share(stream: TextStream): SharedText {
    if (stream instanceof SharedText) return stream;
    const text = new SharedText(stream, this.environment.limits.maximumOutputBytes);
    this.#texts.add(text);
    return text;
  }

  /** Stores a message. Nothing is stored or told once the run is over. */
  async store(message: Message, at: RunMoment): Promise<void> {
    this.#checkOpen();
    await withReason('store a message', this.environment.messages.store(message, at));
  }

  /** The messages of a session that are to be seen at a moment, once they all have been stored. */
  async read(query: MessageQuery, at: RunMoment): Promise<readonly Message[]> {
    await at.settled();
    return withReason('read the messages of its session', this.environment.messages.read(query, at));
  }

  /** Tells a streaming caller, and waits until he has taken it. */
  async tell(event: RunEvent): Promise<void> {
    if (!this.request.stream) return;
    this.#checkOpen();
    await this.environment.emit(event);
  }

  /** Work that must end with the run; its failure changes nothing. */
  awaitAtEnd(work: Promise<void>): void {
    this.#unfinished.push(
      work.catch((error: unknown) => {
        if (error !== runIsOver) this.environment.onSideFailure?.(error);
      }),
    );
  }

  /** Resolves when what was to end with the run has ended; null when there is nothing. */
  finish(): Promise<unknown> | null {
    return this.#unfinished.length === 0 ? null : this.lifetime.within(Promise.all(this.#unfinished));
  }

  close(): void {
    this.#over = true;
    for (const text of this.#texts) text.close(runIsOver);
  }

  #checkOpen(): void {
    if (this.#over) throw runIsOver;
  }

  async #findVariable(name: string): Promise<string | undefined> {
    const { globalVariables } = this.request;
    if (Object.hasOwn(globalVariables, name)) return globalVariables[name];
    const stored = await withReason(`look up the variable "${name}"`, this.environment.variable(name));
    return stored ?? this.environment.environmentVariable?.(name);
  }
}

/** What fails around a run is no fault of the flow: another attempt may do better, and the caller sees no details. */
async function withReason<Result>(what: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    throw new RunError('internal', `The run could not ${what}.`, { cause, permanent: false });
  }
}
