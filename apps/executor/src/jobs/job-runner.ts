import type { VertexObserver } from '@millrace/engine';
import type { LangflowRelease, Plan, RunRequest } from '@millrace/flow';
import { MAXIMUM_BODY_BYTES } from '@millrace/messaging';
import type { Verdict } from '@millrace/messaging';
import { machineTime } from '@millrace/service';
import type { SharedClock } from '@millrace/service';
import type { AttemptOutcome } from '../attempts/attempt-outcome';
import { dispatchAttempt } from '../attempts/attempt';
import type { AttemptRunners } from '../attempts/attempt';
import type { PlanCache } from '../attempts/plan-cache';
import type { ResourceProviders } from '../attempts/resources/resource-providers';
import { wholeRunFailure } from '../attempts/run-failure';
import type { UsageMetrics } from '../attempts/vertex-records/model-usage';
import { RunningAttempt } from '../attempts/running-attempts';
import type { RunningAttempts, Slot, SlotKind, Slots } from '../attempts/running-attempts';
import type { Settlement } from '../intake/in-flight-runs';
import type { DeliveredJob } from '../intake/read-job';
import type { Replies, ReplyStream } from '../replies/replies';
import { emitVertices, reportVertices } from '../replies/run-report';
import type { RunReport, WatchedFlows } from '../replies/watched-flows';
import type { RunTrace } from '../traces/run-trace';
import type { RunTraces, TracedAttempt } from '../traces/run-traces';
import { decideAfterAttempt } from './decide-after-attempt';
import type { BegunAttempts, RunOutcomes } from './run-log';
import type { GrantedAttempt, RunKind } from './run-kind';

export interface JobRunnerDependencies {
  readonly slots: Slots;
  readonly running: RunningAttempts;
  readonly runners: AttemptRunners;
  readonly plans: PlanCache;
  readonly replies: Replies;
  readonly resources: Pick<ResourceProviders, 'langflow'>;
  readonly watchedFlows: WatchedFlows;
  readonly usage: UsageMetrics;
  readonly clock: SharedClock;
  /** Absent when the process is not traced. */
  readonly traces?: RunTraces | undefined;
  readonly begun: BegunAttempts;
  readonly outcomes: RunOutcomes;
  /** Fires when the executor stops taking jobs; runs that have not started are returned to the queue. */
  readonly draining: AbortSignal;
}

/** An attempt with what its execution needs. */
interface StartedAttempt<Granted> {
  readonly delivered: DeliveredJob;
  readonly granted: Granted;
  readonly settlement: Settlement;
  readonly running: RunningAttempt;
  readonly slot: Slot | null;
  /** Milliseconds since the epoch, by this machine's clock. */
  readonly deadline: number;
}

/**
 * Handles jobs: takes a slot, gets the right to execute an attempt, executes it, decides what follows, and has that
 * done. The kind of the runs says what the right to an attempt is and what is stored when.
 */
export class JobRunner<Granted extends GrantedAttempt> {
  readonly #dependencies: JobRunnerDependencies;
  readonly #kind: RunKind<Granted>;

  constructor(dependencies: JobRunnerDependencies, kind: RunKind<Granted>) {
    this.#dependencies = dependencies;
    this.#kind = kind;
  }

  /** Resolves to the verdict on the delivery; rejects when it must be returned to the queue. */
  async run(delivered: DeliveredJob, settlement: Settlement): Promise<Verdict> {
    try {
      // A run whose caller waits takes its slot as a running one, so that its caller can cancel it.
      return this.#kind.durable
        ? await this.#runInSlot(delivered, settlement)
        : await this.#grantAndExecute(delivered, settlement, null);
    } catch (error) {
      return this.#kind.settleError(delivered, settlement, error);
    }
  }

  /** A run with a row waits for a slot without a claim, so that an executor with free slots can claim it. */
  async #runInSlot(delivered: DeliveredJob, settlement: Settlement): Promise<Verdict> {
    const { slots, draining } = this.#dependencies;
    const slot = await slots.take(claimSlotKind(delivered), delivered.job.userId, draining);
    if (!slot) return 'retry';
    try {
      return await this.#grantAndExecute(delivered, settlement, slot);
    } finally {
      slot.release();
    }
  }

  async #grantAndExecute(
    delivered: DeliveredJob,
    settlement: Settlement,
    claimSlot: Slot | null,
  ): Promise<Verdict> {
    const kind = this.#kind;
    const granted = await kind.grant(delivered, settlement);
    if (typeof granted === 'string') return granted;
    const { slots, running: attempts, runners, begun, outcomes, draining } = this.#dependencies;
    begun.begin(delivered.job, granted);
    const running = new RunningAttempt(delivered.job.runId, granted.attempt, kind.durable);
    attempts.add(running);
    let slot = claimSlot;
    try {
      // Run the last attempt alone, so that a crash can be attributed to this run.
      const isAlone = isLast(granted) && !runners.isolation;
      if (slot === null || isAlone) {
        slot?.release();
        const taken = slots.take(
          isAlone ? 'exclusive' : 'shared',
          delivered.job.userId,
          running.signal,
          draining,
        );
        slot = taken instanceof Promise ? await taken : taken;
        // The attempt ends at once, and its run is released.
        if (slot === null) running.abort('shutdown');
      }
      const deadline = kind.deadline(delivered.job, granted);
      // A late attempt of a run with a row begins, so that its outcome is stored: `timed_out`.
      const late = kind.durable ? -1 : machineTime() - deadline;
      return late < 0
        ? await this.#execute({ delivered, granted, settlement, running, slot, deadline })
        : await outcomes.settleLate(delivered, late);
    } finally {
      slot?.release();
      attempts.remove(running);
    }
  }

  async #execute(started: StartedAttempt<Granted>): Promise<Verdict> {
    const kind = this.#kind;
    const { delivered, granted, settlement, running, slot } = started;
    const { watchedFlows, clock, usage } = this.#dependencies;
    const startedMilliseconds = performance.now();
    const startedAt = clock.now();
    const replies = this.#openReplies(started);
    const { request, flowId } = granted;
    const report = request?.form === 'webhook' ? watchedFlows.report(flowId, running.runId) : null;
    const outcome =
      request === null
        ? undecryptableRequest()
        : await this.#attempt(started, request, { replies, report }, startedAt);
    // The outcome has its record. The recorder refers to all values of the run, which waits until the record is stored.
    running.recorder = null;
    const milliseconds = performance.now() - startedMilliseconds;
    if (outcome.record?.usage) usage.count(flowId, outcome.record.usage);
    const claim = kind.durable ? granted : null;
    return kind.settle(
      { delivered, granted, settlement, slot, replies, report, startedAt, milliseconds, outcome },
      decideAfterAttempt(outcome, running.abortReason, claim, Math.random()),
    );
  }

  #openReplies({ delivered, granted, running }: StartedAttempt<Granted>): ReplyStream | null {
    const { replyTo } = delivered.delivery;
    // The message of a webhook, or of a run that was published again, has no reply queue.
    if (replyTo === undefined && granted.request?.vertexEvents !== true) return null;
    return this.#dependencies.replies.open({
      runId: running.runId,
      attempt: running.attempt,
      replyTo,
      batchedReplies: delivered.job.batchedReplies !== undefined,
      deduplicatedTexts: delivered.job.batchedReplies === 2,
      // A run with a row continues; the result can be fetched later.
      onUnreachable: () => (running.durable ? undefined : running.abort('cancelled')),
    });
  }

  /** Executes the attempt, in its span if the process is traced. */
  #attempt(
    started: StartedAttempt<Granted>,
    request: RunRequest,
    listeners: AttemptListeners,
    startedAt: number,
  ): Promise<AttemptOutcome> {
    const { traces } = this.#dependencies;
    if (traces === undefined) return this.#dispatch(started, request, listeners, null);
    const trace = traces.begin(tracedAttempt(started, request, startedAt));
    return this.#attemptInSpan(started, request, listeners, trace);
  }

  async #attemptInSpan(
    started: StartedAttempt<Granted>,
    request: RunRequest,
    listeners: AttemptListeners,
    trace: RunTrace,
  ): Promise<AttemptOutcome> {
    const outcome = await trace.within(() => this.#dispatch(started, request, listeners, trace));
    trace.end(outcome);
    return outcome;
  }

  #dispatch(
    { delivered, granted, running, deadline }: StartedAttempt<Granted>,
    request: RunRequest,
    listeners: AttemptListeners,
    trace: RunTrace | null,
  ): Promise<AttemptOutcome> {
    const { runners, plans, resources } = this.#dependencies;
    const { job, isolated } = delivered;
    const { userId, flowId, flowVersion } = granted;
    const plan = () => plans.get(flowId, flowVersion);
    const { replies } = listeners;
    const dispatch = (watch: VertexObserver | null) =>
      dispatchAttempt(runners, {
        runId: running.runId,
        attempt: running.attempt,
        userId,
        flowId,
        keyId: granted.keyId ?? request.keyId ?? job.keyId ?? null,
        flowVersion,
        plan,
        request,
        durable: running.durable,
        isolated: isolated || isLast(granted),
        cache: job.cache,
        recordSettings: granted.recordSettings,
        followsFailure: granted.repeatReason === 'failed',
        deadline,
        signal: running.signal,
        maximumAnswerBytes: replies === null ? Number.POSITIVE_INFINITY : MAXIMUM_BODY_BYTES,
        emit: (event) => (request.stream ? replies?.emit(event) : undefined),
        watch,
        onRecording: (recorder) => (running.recorder = recorder),
        observer: trace?.observer,
      });
    const watching = createWatch(request, listeners, plan, resources.langflow);
    return watching === null ? dispatch(null) : watching.then(dispatch);
  }
}

/** Receivers of the events of a run: its caller, and the watchers of its flow. */
interface AttemptListeners {
  readonly replies: ReplyStream | null;
  readonly report: RunReport | null;
}

function createWatch(
  request: RunRequest,
  { replies, report }: AttemptListeners,
  plan: () => Promise<Plan | null>,
  release: LangflowRelease,
): Promise<VertexObserver> | null {
  if (report) return reportVertices(report, plan);
  if (request.vertexEvents !== true || !replies) return null;
  return emitVertices((event) => replies.emit(event), plan, release);
}

function tracedAttempt(
  { delivered: { job }, granted, running }: StartedAttempt<GrantedAttempt>,
  request: RunRequest,
  startedAt: number,
): TracedAttempt {
  const { userId, flowId, flowVersion, traceparent, replayedTraceparent, acceptedAt } = granted;
  const { lane, pool } = job;
  const isFirst = granted.countedAttempts === 1;
  return {
    runId: running.runId,
    attempt: running.attempt,
    userId,
    flowId,
    flowVersion,
    lane,
    pool,
    sessionId: request.sessionId,
    traceparent,
    replayedTraceparent,
    acceptedAt,
    lostAttempt: wasLost(granted) ? granted.attempt - 1 : null,
    waitedMilliseconds: isFirst ? startedAt - acceptedAt.getTime() : null,
  };
}

/** Whether the executor of the attempt before was lost. */
function wasLost({ repeatReason }: GrantedAttempt): boolean {
  return repeatReason === 'executor_lost' || repeatReason === 'redelivered';
}

/** Returns the kind of slot without which a run with a row is not claimed. */
function claimSlotKind({ job, isolated }: DeliveredJob): SlotKind {
  // Quarantined jobs arrive one at a time; a job that waits for a slot would block the quarantine.
  return job.lane === 'interactive' || isolated ? 'shared' : 'unreserved';
}

function isLast({ countedAttempts, maximumAttempts }: GrantedAttempt): boolean {
  return countedAttempts > 1 && countedAttempts >= maximumAttempts;
}

/** The outcome when the request is sealed with a key that this executor does not have; another one may have it. */
function undecryptableRequest(): AttemptOutcome {
  const failure = wholeRunFailure('internal', 'The request of the run could not be decrypted.');
  return {
    status: 'failed',
    body: Buffer.from(JSON.stringify(failure)),
    failure,
    messages: [],
    byOutage: true,
  };
}
