import type { Random } from './random';
import type { CallOutcome, SimulatedCaller } from './simulated-caller';
import { CALLER_API_KEY } from './simulation-fixture';
import type { SimulationFixture } from './simulation-fixture';
import { DEADLINE_MILLISECONDS } from './simulated-services';
import type { SimulatedWorld } from './simulated-world';
import { attemptsIn } from './simulated-work';
import type { RunsOfPersons } from './persons';
import { drawQuestion, questionIn } from './simulated-question';
import type { StoredRun, Suspensions } from './stored-runs';

/** One call of a flow by a caller that waits for the answer. */
interface Call {
  readonly name: string;
  readonly work: string;
  readonly isStreamed: boolean;
  readonly key: string | null;
  readonly caller: SimulatedCaller;
  readonly gateway: string;
  readonly calledAt: number;
  hasDisconnected: boolean;
  /** The database was slow or silent during the call; waiting for it has a separate deadline. */
  isLate: boolean;
  outcome: (CallOutcome & { readonly at: number }) | null;
}

/** The parts of an answer of `/api/v2/workflows` that are checked. */
interface WorkflowAnswer {
  readonly job_id: string;
  readonly status: string;
  readonly human_request: { readonly request_id: string } | null;
}

export interface CallersDependencies {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly flows: Pick<SimulationFixture, 'answering' | 'unrecorded' | 'consulting'>;
  now(): number;
  note(what: string): void;
  count(what: string): void;
}

/** Time for a statement that arrives late before the gateway sets the deadline, for its own work and for the network. */
const TOLERANCE_MILLISECONDS = 4_000;
/** The statements for the caller, the flow and the row of the run: each one can take up to the driver's timeout. */
const DATABASE_DELAY_MILLISECONDS = 95_000;
const STATEMENT_MILLISECONDS = 31_000;
const SHARE_OF_RECORDED_RUNS = 0.7;
const SHARE_OF_QUESTIONS = 0.15;
/** Error codes that ask the caller to retry or report a deadline; they are not failures of the run. */
const ACCEPTABLE_ERRORS = new Set([
  'broker_unavailable',
  'database_unavailable',
  'deadline_exceeded',
  'no_executor',
  'shutting_down',
]);

/** Callers that run flows at gateways and wait, and checks of what they were promised. */
export class Callers {
  readonly #dependencies: CallersDependencies;
  readonly #calls: Call[] = [];
  #troubledUntil = 0;

  constructor(dependencies: CallersDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs a flow, streamed or not, with an idempotency key or without. Does nothing when there is no gateway. */
  call(): void {
    const { random } = this.#dependencies;
    if (random.chance(SHARE_OF_QUESTIONS)) return this.#call(drawQuestion(random), null, false);
    const milliseconds = random.pick([1, 1, 200, 900, 4_000, 25_000] as const);
    const work = random.chance(0.03) ? 'poison' : `${milliseconds} ${random.chance(0.1) ? 'fail' : 'done'}`;
    const key = random.chance(0.5) ? `key-${this.#calls.length}` : null;
    this.#call(work, key, random.chance(0.3));
  }

  /** Runs a flow for several callers at a time, whose answers can be ready together. */
  callTogether(): void {
    const { random } = this.#dependencies;
    const work = `${random.pick([1, 200, 2_000] as const)} done`;
    for (let count = random.between(3, 6); count > 0; count -= 1) this.#call(work, null, random.chance(0.3));
  }

  /** Repeats an earlier call with an idempotency key, at any gateway. */
  callAgain(): void {
    const { random } = this.#dependencies;
    const keyed = this.#calls.filter(({ key }) => key !== null);
    if (keyed.length === 0) return this.call();
    const { work, key, isStreamed } = random.pick(keyed);
    this.#call(work, key, isStreamed);
  }

  /** Disconnects one of the waiting callers. */
  disconnect(): void {
    const waiting = this.#calls.filter(({ outcome }) => outcome === null);
    if (waiting.length === 0) return;
    const call = this.#dependencies.random.pick(waiting);
    call.hasDisconnected = true;
    this.#dependencies.note(`${call.name} disconnects`);
    call.caller.disconnect();
  }

  /** Notes that the database fails from now on. */
  databaseFails(): void {
    this.#troubledUntil = Number.POSITIVE_INFINITY;
    for (const call of this.#calls) call.isLate ||= call.outcome === null;
  }

  /** Notes that the database works again; earlier statements can still time out. */
  databaseRecovers(): void {
    this.#troubledUntil = this.#dependencies.now() + STATEMENT_MILLISECONDS;
  }

  get waiting(): number {
    return this.#calls.filter(({ outcome }) => outcome === null).length;
  }

  /** Returns violations of what was promised. */
  violations({ rows, suspensions }: RunsOfPersons): string[] {
    return [
      ...this.#calls.flatMap((call) =>
        this.#violationsOf(call, rows, suspensions).map((text) => `${call.name} (${call.work}): ${text}`),
      ),
      ...this.#violationsOfKeys(),
    ];
  }

  #call(work: string, key: string | null, isStreamed: boolean): void {
    const { world, random, flows, now, note } = this.#dependencies;
    if (world.gateways.length === 0) return;
    const asks = questionIn(work) !== null;
    const isRecorded = key !== null || asks || random.chance(SHARE_OF_RECORDED_RUNS);
    const flowId = (isRecorded ? flows.answering : flows.unrecorded).id;
    const gateway = random.pick(world.gateways);
    const headers = { 'x-api-key': CALLER_API_KEY, ...(key === null ? {} : { 'idempotency-key': key }) };
    const caller = world.call(
      gateway,
      asks
        ? {
            path: '/api/v2/workflows',
            headers,
            body: JSON.stringify({ flow_id: flows.consulting.id, mode: 'sync', input_value: work }),
          }
        : {
            path: `/api/v1/run/${flowId}?stream=${isStreamed}`,
            headers,
            body: JSON.stringify({ input_value: work }),
          },
    );
    const call: Call = {
      name: `call-${this.#calls.length + 1}`,
      work,
      isStreamed,
      key,
      caller,
      gateway: gateway.process.name,
      calledAt: now(),
      hasDisconnected: false,
      isLate: now() < this.#troubledUntil,
      outcome: null,
    };
    this.#calls.push(call);
    note(
      `${call.name} at ${call.gateway}: ${work}${isStreamed ? ', streamed' : ''}${isRecorded ? '' : ', unrecorded'}${key === null ? '' : `, ${key}`}`,
    );
    void caller.outcome.then((outcome) => {
      call.outcome = { ...outcome, at: now() };
      note(
        `${call.name} receives ${outcome.kind === 'answer' ? `${outcome.status} ${codeOf(outcome)}` : 'a broken connection'}`,
      );
    });
  }

  #violationsOf(
    call: Call,
    rows: ReadonlyMap<string, StoredRun>,
    suspensions: ReadonlyMap<string, Suspensions>,
  ): string[] {
    const { world, count } = this.#dependencies;
    const { outcome } = call;
    if (outcome === null) return ['waits indefinitely'];
    const violations: string[] = [];
    const allowedMilliseconds =
      DEADLINE_MILLISECONDS + TOLERANCE_MILLISECONDS + (call.isLate ? DATABASE_DELAY_MILLISECONDS : 0);
    if (outcome.at - call.calledAt > allowedMilliseconds)
      violations.push(`waited ${outcome.at - call.calledAt} ms`);
    if (outcome.kind === 'broken') {
      const isGatewayStopped = !world.gateways.some(({ process }) => process.name === call.gateway);
      count(call.hasDisconnected ? 'disconnected by the caller' : 'disconnected by the gateway');
      if (!call.hasDisconnected && !isGatewayStopped)
        violations.push('was disconnected by a running gateway');
      return violations;
    }
    if (questionIn(call.work) !== null && outcome.status === 200)
      return [...violations, ...this.#violationsOfWorkflow(outcome.body, rows, suspensions)];
    const isDone = outcome.status === 200 && (!call.isStreamed || outcome.body.includes('"event": "end"'));
    if (isDone)
      violations.push(...this.#violationsOfAnswer(call, outcome.body, rows.get(runIdOf(outcome) ?? '')));
    else violations.push(...this.#violationsOfError(call, outcome));
    return violations;
  }

  #violationsOfAnswer(call: Call, body: string, row: StoredRun | undefined): string[] {
    const { count } = this.#dependencies;
    const receivedAttempts = attemptsIn(body.slice(Math.max(0, body.lastIndexOf('"event": "restart"'))));
    const attempts = new Set(receivedAttempts.map(({ attempt }) => attempt));
    const [attempt = 0] = attempts;
    count(attempt > 1 ? 'answered by a later attempt' : 'answered');
    if (call.isStreamed) count('streamed');
    if (!call.work.endsWith('done')) return ['succeeded although its work does not'];
    if (attempts.size !== 1) return [`received ${attempts.size} attempts in one answer`];
    if (receivedAttempts.some(({ work }) => work !== call.work))
      return ['received the answer of another call'];
    const mustBeStored = call.key !== null;
    if (!row) return mustBeStored ? ['was answered, but its run does not exist'] : [];
    // Without a row from the start, an attempt that crashed before its record can have been retried after the answer.
    if (row.attempt !== attempt && !mustBeStored) return [];
    // A redelivered run has a row: when its executor crashed between answer and record, the row ends with its deadline, or
    // as `dead` if the answered attempt was the last one.
    const hasNoRecord = row.status === 'timed_out' || row.status === 'dead';
    if (hasNoRecord && !mustBeStored && this.#hasCrashed(row, attempt)) return [];
    if (row.status !== 'succeeded') return [`was answered, but its run is ${row.status}`];
    const isStored = call.isStreamed
      ? attemptsIn(row.result ?? '').every((stored) => stored.attempt === attempt)
      : row.result === body;
    return isStored ? [] : [`received the answer of attempt ${attempt}, but another answer is stored`];
  }

  /** Checks the answer for a run that asks a person: it names the question, or the end of a run that was answered meanwhile. */
  #violationsOfWorkflow(
    body: string,
    rows: ReadonlyMap<string, StoredRun>,
    suspensions: ReadonlyMap<string, Suspensions>,
  ): string[] {
    const { job_id: runId, status, human_request: request } = JSON.parse(body) as WorkflowAnswer;
    this.#dependencies.count(`workflow ${status}`);
    const row = rows.get(runId);
    if (row === undefined) return ['was answered, but its run does not exist'];
    if (status === 'suspended') {
      const asked = request?.request_id.includes(runId) === true && suspensions.has(runId);
      return asked ? [] : [`was answered with a question, but its run was not suspended: ${body}`];
    }
    const expected = status === 'completed' ? 'succeeded' : status;
    return row.status === expected ? [] : [`was answered as ${status}, but its run is ${row.status}`];
  }

  /** Whether the executor of an attempt has crashed. */
  #hasCrashed({ id }: StoredRun, attempt: number): boolean {
    const { executors, work } = this.#dependencies.world;
    const execution = work.of(id).find((known) => known.attempt === attempt);
    return executors.some(({ process }) => process.name === execution?.process && process.state === 'dead');
  }

  #violationsOfError(
    call: Call,
    outcome: CallOutcome & { readonly kind: 'answer'; readonly at: number },
  ): string[] {
    const { count } = this.#dependencies;
    const { work, isStreamed, isLate } = call;
    const code = outcome.status === 200 && isStreamed ? 'error in the stream' : codeOf(outcome);
    count(`refused: ${code}`);
    if (code === 'component_failed')
      return work.endsWith('fail') ? [] : ['failed although its work does not'];
    if (code === 'deadline_exceeded' && outcome.at < this.#firstCallOf(call) + DEADLINE_MILLISECONDS)
      return [`was refused for its deadline after ${outcome.at - call.calledAt} ms`];
    if (code === 'attempts_exhausted' || ACCEPTABLE_ERRORS.has(code)) return [];
    if (code === 'error in the stream')
      return outcome.body.includes('"event": "error"') ? [] : ['the stream ended without an end event'];
    if (code === 'internal' && isLate) return [];
    return [`was answered with ${outcome.status} ${code}: ${outcome.body.slice(0, 200)}`];
  }

  /** Returns when the run was first requested; with an idempotency key this can be an earlier call. */
  #firstCallOf({ key, calledAt }: Call): number {
    const same = key === null ? [] : this.#calls.filter((call) => call.key === key);
    return Math.min(calledAt, ...same.map((call) => call.calledAt));
  }

  /** Checks that each idempotency key belongs to one run. */
  #violationsOfKeys(): string[] {
    const { count } = this.#dependencies;
    const runs = new Map<string, string>();
    const violations: string[] = [];
    for (const { key, outcome, name } of this.#calls) {
      const runId = runIdOf(outcome);
      if (key === null || runId === null) continue;
      const known = runs.get(key);
      if (known !== undefined) count('attached');
      if (known !== undefined && known !== runId) violations.push(`${name}: ${key} is ${known} and ${runId}`);
      runs.set(key, runId);
    }
    return violations;
  }
}

function runIdOf(outcome: CallOutcome | null): string | null {
  if (outcome?.kind !== 'answer') return null;
  const runId = outcome.headers['x-run-id'];
  return typeof runId === 'string' ? runId : null;
}

function codeOf({ headers }: CallOutcome & { readonly kind: 'answer' }): string {
  return String(headers['x-error-code'] ?? '');
}
