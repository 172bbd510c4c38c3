import type { Random } from './random';
import type { Heard, SimulatedCaller } from './simulated-caller';
import { CALLERS_KEY } from './ground';
import { DEADLINE_MILLISECONDS } from './simulated-services';
import type { SimulatedWorld } from './simulated-world';
import { attemptsIn } from './simulated-work';
import type { StoredRun } from './stored-runs';

/** One time somebody ran a flow and waited. */
interface Call {
  readonly name: string;
  readonly work: string;
  readonly isStreamed: boolean;
  readonly key: string | null;
  readonly caller: SimulatedCaller;
  readonly gateway: string;
  readonly calledAt: number;
  hasLeft: boolean;
  /** The database answered late or not at all meanwhile: that wait has a deadline of its own. */
  isLate: boolean;
  heard: (Heard & { readonly at: number }) | null;
}

export interface CallersSurroundings {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly flowId: string;
  now(): number;
  note(what: string): void;
  count(what: string): void;
}

/** A gateway's own work, and ways there and back. */
const SLACK_MILLISECONDS = 3_000;
/** Who calls, and which flow, and the row before the run: each waits for the driver at most. */
const LATE_MILLISECONDS = 95_000;
const STATEMENT_MILLISECONDS = 31_000;
/** Answers that tell the caller to try again, or that its time is over: no fault of the run's. */
const EXCUSES = new Set([
  'broker_unavailable',
  'database_unavailable',
  'deadline_exceeded',
  'no_executor',
  'shutting_down',
]);

/** Those who run flows at gateways and wait, and what they were promised. */
export class Callers {
  readonly #surroundings: CallersSurroundings;
  readonly #calls: Call[] = [];
  #troubledUntil = 0;

  constructor(surroundings: CallersSurroundings) {
    this.#surroundings = surroundings;
  }

  /** Somebody runs a flow: whole or streamed, with a key or without. Nobody when there is no gateway. */
  call(): void {
    const { random } = this.#surroundings;
    const milliseconds = random.pick([1, 1, 200, 900, 4_000, 25_000] as const);
    const work = random.chance(0.03) ? 'poison' : `${milliseconds} ${random.chance(0.1) ? 'fail' : 'done'}`;
    const key = random.chance(0.5) ? `key-${this.#calls.length}` : null;
    this.#call(work, key, random.chance(0.3));
  }

  /** Somebody who did not hear of its answer asks for it again, wherever. */
  callAgain(): void {
    const { random } = this.#surroundings;
    const keyed = this.#calls.filter(({ key }) => key !== null);
    if (keyed.length === 0) return this.call();
    const { work, key, isStreamed } = random.pick(keyed);
    this.#call(work, key, isStreamed);
  }

  /** One of those who wait has no more patience. */
  leave(): void {
    const waiting = this.#calls.filter(({ heard }) => heard === null);
    if (waiting.length === 0) return;
    const call = this.#surroundings.random.pick(waiting);
    call.hasLeft = true;
    this.#surroundings.note(`${call.name} leaves`);
    call.caller.leave();
  }

  /** The database is not what it should be, from now on. */
  databaseFails(): void {
    this.#troubledUntil = Number.POSITIVE_INFINITY;
    for (const call of this.#calls) call.isLate ||= call.heard === null;
  }

  /** What was asked of the database before may still go unanswered for a while. */
  databaseRecovers(): void {
    this.#troubledUntil = this.#surroundings.now() + STATEMENT_MILLISECONDS;
  }

  get waiting(): number {
    return this.#calls.filter(({ heard }) => heard === null).length;
  }

  /** What was promised and does not hold. */
  faults(rows: ReadonlyMap<string, StoredRun>): string[] {
    return [
      ...this.#calls.flatMap((call) =>
        this.#faultsOf(call, rows).map((text) => `${call.name} (${call.work}): ${text}`),
      ),
      ...this.#faultsOfKeys(),
    ];
  }

  #call(work: string, key: string | null, isStreamed: boolean): void {
    const { world, random, flowId, now, note } = this.#surroundings;
    if (world.gateways.length === 0) return;
    const gateway = random.pick(world.gateways);
    const caller = world.call(gateway, {
      path: `/api/v1/run/${flowId}?stream=${isStreamed}`,
      headers: { 'x-api-key': CALLERS_KEY, ...(key === null ? {} : { 'idempotency-key': key }) },
      body: JSON.stringify({ input_value: work }),
    });
    const call: Call = {
      name: `call-${this.#calls.length + 1}`,
      work,
      isStreamed,
      key,
      caller,
      gateway: gateway.process.name,
      calledAt: now(),
      hasLeft: false,
      isLate: now() < this.#troubledUntil,
      heard: null,
    };
    this.#calls.push(call);
    note(
      `${call.name} at ${call.gateway}: ${work}${isStreamed ? ', streamed' : ''}${key === null ? '' : `, ${key}`}`,
    );
    void caller.heard.then((heard) => {
      call.heard = { ...heard, at: now() };
      note(`${call.name} hears ${heard.kind === 'answer' ? `${heard.status} ${codeOf(heard)}` : 'no more'}`);
    });
  }

  #faultsOf(call: Call, rows: ReadonlyMap<string, StoredRun>): string[] {
    const { world, count } = this.#surroundings;
    const { heard } = call;
    if (heard === null) return ['waits for ever'];
    const faults: string[] = [];
    const patience = DEADLINE_MILLISECONDS + SLACK_MILLISECONDS + (call.isLate ? LATE_MILLISECONDS : 0);
    if (heard.at - call.calledAt > patience) faults.push(`waited ${heard.at - call.calledAt} ms`);
    if (heard.kind === 'broken') {
      const isGatewayGone = !world.gateways.some(({ process }) => process.name === call.gateway);
      count(call.hasLeft ? 'left' : 'cut off');
      if (!call.hasLeft && !isGatewayGone) faults.push('was cut off by a gateway that lives');
      return faults;
    }
    const isDone = heard.status === 200 && (!call.isStreamed || heard.body.includes('"event": "end"'));
    if (isDone) faults.push(...this.#faultsOfAnswer(call, heard.body, rows.get(runIdOf(heard) ?? '')));
    else faults.push(...this.#faultsOfRefusal(call, heard));
    return faults;
  }

  #faultsOfAnswer(call: Call, body: string, row: StoredRun | undefined): string[] {
    const { count } = this.#surroundings;
    const told = attemptsIn(body.slice(Math.max(0, body.lastIndexOf('"event": "restart"'))));
    const attempts = new Set(told.map(({ attempt }) => attempt));
    const [attempt = 0] = attempts;
    count(attempt > 1 ? 'answered by a later attempt' : 'answered');
    if (call.isStreamed) count('streamed');
    if (!call.work.endsWith('done')) return ['was answered although its work does not succeed'];
    if (attempts.size !== 1) return [`was told of ${attempts.size} attempts in one answer`];
    if (told.some(({ work }) => work !== call.work)) return ['was given the answer of another call'];
    const mustBeThere = call.key !== null;
    if (!row) return mustBeThere ? ['was answered, and its run is not there'] : [];
    // Without a row from the start, what died before its record may have been tried again after the answer.
    if (row.attempt !== attempt && !mustBeThere) return [];
    if (row.status !== 'succeeded') return [`was answered, and its run is ${row.status}`];
    const isStored = call.isStreamed
      ? attemptsIn(row.result ?? '').every((stored) => stored.attempt === attempt)
      : row.result === body;
    return isStored ? [] : [`heard of attempt ${attempt}, and another answer is stored`];
  }

  #faultsOfRefusal(call: Call, heard: Heard & { readonly kind: 'answer'; readonly at: number }): string[] {
    const { count } = this.#surroundings;
    const { work, isStreamed, isLate } = call;
    const code = heard.status === 200 && isStreamed ? 'error in the stream' : codeOf(heard);
    count(`refused: ${code}`);
    if (code === 'component_failed')
      return work.endsWith('fail') ? [] : ['failed although its work does not'];
    if (code === 'deadline_exceeded' && heard.at < this.#firstCallOf(call) + DEADLINE_MILLISECONDS)
      return [`was refused for its deadline after ${heard.at - call.calledAt} ms`];
    if (code === 'attempts_exhausted' || EXCUSES.has(code)) return [];
    if (code === 'error in the stream')
      return heard.body.includes('"event": "error"') ? [] : ['was left in the middle'];
    if (code === 'internal' && isLate) return [];
    return [`was answered with ${heard.status} ${code}: ${heard.body.slice(0, 200)}`];
  }

  /** When the run was first asked for: with a key, that may have been by another call. */
  #firstCallOf({ key, calledAt }: Call): number {
    const same = key === null ? [] : this.#calls.filter((call) => call.key === key);
    return Math.min(calledAt, ...same.map((call) => call.calledAt));
  }

  /** One key is one run. */
  #faultsOfKeys(): string[] {
    const { count } = this.#surroundings;
    const runs = new Map<string, string>();
    const faults: string[] = [];
    for (const { key, heard, name } of this.#calls) {
      const runId = runIdOf(heard);
      if (key === null || runId === null) continue;
      const known = runs.get(key);
      if (known !== undefined) count('attached');
      if (known !== undefined && known !== runId) faults.push(`${name}: ${key} is ${known} and ${runId}`);
      runs.set(key, runId);
    }
    return faults;
  }
}

function runIdOf(heard: Heard | null): string | null {
  if (heard?.kind !== 'answer') return null;
  const runId = heard.headers['x-run-id'];
  return typeof runId === 'string' ? runId : null;
}

function codeOf({ headers }: Heard & { readonly kind: 'answer' }): string {
  return String(headers['x-error-code'] ?? '');
}
