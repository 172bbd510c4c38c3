import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerNames, ControlMessage } from '@millrace/messages';
import { broadcastControlMessage } from '@millrace/dispatch';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import { ANSWER_TIMEOUT_MILLISECONDS } from './peers';
import type { PeerAnswer, Peers, PeerState } from './peers';

/** How long other executors are asked repeatedly after this process has recently lost its own connection. */
const RECONNECT_GRACE_MILLISECONDS = 2_000;
const RECENT_DISCONNECT_MILLISECONDS = 10_000;
/** The state of another executor; `reconnected`: it answers, but may have missed the question. */
type LocatedState = PeerState | 'reconnected';

/**
 * How long an executor that does not answer may still execute the run; a watchdog ends processes blocked for longer. One that has
 * reconnected is asked again.
 */
const MAXIMUM_WAIT_MILLISECONDS: Readonly<Record<Exclude<LocatedState, 'alive'>, number>> = {
  silent: 10_000,
  reconnected: 10_000,
  disconnected: 20_000,
  missing: 2 * RECONNECT_GRACE_MILLISECONDS,
  unknown: RECONNECT_GRACE_MILLISECONDS,
};

/** Where a redelivered run is executed. `unclear`: a live executor that did not answer in time may execute it. */
export type RunLocation = 'elsewhere' | 'nowhere' | 'unclear';

export interface TakeoverDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly worker: string;
  readonly peers: Peers;
  readonly logger: Logger;
}

/** A run that other executors are asked about. */
export interface LocateRequest {
  readonly runId: string;
  /** The executor that holds the lease in the row. Without a row, any executor can have the run. */
  readonly holder?: string;
  /** How long the answer is useful. */
  readonly timeoutMilliseconds?: number;
}

/**
 * A redelivery does not prove a crash: a broken connection or a channel closed by the broker also causes redeliveries.
 * Before a takeover, all executors are asked which of them executes the run. None does when each of them has answered a
 * question that was sent later, or has crashed.
 */
export class Takeover {
  readonly #dependencies: TakeoverDependencies;
  /** By run id; aborted when an answer arrives. */
  readonly #openQuestions = new Map<string, AbortController>();
  /** Answers that are being sent; a ping is answered only after all of them. */
  readonly #pendingAnswers = new Set<Promise<void>>();
  #disconnectedAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies;
    dependencies.bus.onStateChange((state) => {
      if (state === 'disconnected') this.#disconnectedAt = performance.now();
    });
  }

  /** Asks which executor has the run, until that is known or the time limit passes. Never rejects. */
  async locate({ runId, ...run }: LocateRequest): Promise<RunLocation> {
    const answer = new AbortController();
    this.#openQuestions.set(runId, answer);
    try {
      return await this.#poll(runId, run, answer.signal);
    } finally {
      if (this.#openQuestions.get(runId) === answer) this.#openQuestions.delete(runId);
    }
  }

  async #poll(
    runId: string,
    { holder, timeoutMilliseconds = Number.POSITIVE_INFINITY }: Omit<LocateRequest, 'runId'>,
    answer: AbortSignal,
  ): Promise<RunLocation> {
    const { peers } = this.#dependencies;
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const waits = new Map<string, number>();
    // One check for missing executors is not enough: one that just lost its connection has not reported that yet.
    let missingBefore: readonly string[] = [];
    for (;;) {
      const roundStartedAt = performance.now();
      // Lanes have a separate connection, which can be restored before the one that receives the answers.
      const isListening = this.#dependencies.bus.state === 'connected';
      const isSent = await this.#ask(runId, holder);
      const asked = holder === undefined ? peers.others : [holder];
      const answers = await untilAborted(Promise.all(asked.map((peer) => peers.ask(peer))), answer);
      if (answers === null) return 'elsewhere';
      const states = answers.map((peerAnswer) => stateSince(peerAnswer, roundStartedAt));
      const peersIn = (state: LocatedState) => asked.filter((_peer, index) => states[index] === state);
      const isWithinGrace =
        elapsed() <
        (this.#wasRecentlyDisconnected() ? RECONNECT_GRACE_MILLISECONDS : ANSWER_TIMEOUT_MILLISECONDS);
      const crashed = isWithinGrace ? [] : peersIn('missing').filter((peer) => missingBefore.includes(peer));
      // Executors of the previous version are not discovered, so without a holder they need time to answer.
      const canReceiveAnswers = isListening && this.#disconnectedAt < roundStartedAt;
      const canDecide = isSent && canReceiveAnswers && (holder !== undefined || !isWithinGrace);
      if (canDecide && peersIn('alive').length + crashed.length === asked.length) {
        for (const peer of crashed) peers.remove(peer);
        return 'nowhere';
      }
      keepWaits(waits, asked, states);
      if (holder !== undefined && (states[0] === 'disconnected' || states[0] === 'silent')) return 'unclear';
      const maximumWait = Math.max(RECONNECT_GRACE_MILLISECONDS, ...waits.values());
      if (elapsed() > Math.min(timeoutMilliseconds, maximumWait)) return 'unclear';
      missingBefore = peersIn('missing');
      const wait = ANSWER_TIMEOUT_MILLISECONDS - (performance.now() - roundStartedAt);
      await sleep(Math.max(1, wait), undefined, { signal: answer }).catch(() => undefined);
      if (answer.aborted) return 'elsewhere';
    }
  }

  /** Resolves to false when the question could not be sent. */
  async #ask(runId: string, holder: string | undefined): Promise<boolean> {
    const { worker: asker } = this.#dependencies;
    try {
      const question = { kind: 'who-runs', runId, attempt: 0, asker, ...(holder && { holder }) } as const;
      await broadcastControlMessage(this.#dependencies, question);
      return true;
    } catch (error) {
      this.#dependencies.logger.warn(
        { error, runId },
        'could not ask the other executors which of them executes a run',
      );
      return false;
    }
  }

  /**
   * Returns whether this process has recently lost its own connection. Other executors may have lost theirs, too: they
   * are alive, but a question reaches them only after their queue is declared again.
   */
  #wasRecentlyDisconnected(): boolean {
    const elapsed = performance.now() - this.#disconnectedAt;
    return this.#dependencies.bus.state !== 'connected' || elapsed < RECENT_DISCONNECT_MILLISECONDS;
  }

  /**
   * Answers the question of another process if this one executes the run or is about to. When both ask about the same
   * run, the process whose name sorts first has it. Never rejects.
   */
  async answer(
    { runId, asker, holder }: Extract<ControlMessage, { kind: 'who-runs' }>,
    { attempt, isInFlight }: { readonly attempt: number | undefined; readonly isInFlight: boolean },
  ): Promise<void> {
    const { worker, logger } = this.#dependencies;
    // The claim can be stored before this process receives the result of the claim.
    const isOurs =
      attempt !== undefined ||
      (isInFlight && (holder === worker || !this.#openQuestions.has(runId) || worker < asker));
    if (asker === worker || !isOurs) return;
    const message = { kind: 'i-run', runId, attempt: attempt ?? 0, worker, asker } as const;
    const answering = broadcastControlMessage(this.#dependencies, message).catch((error: unknown) =>
      logger.warn({ error, runId, asker }, 'could not notify another executor that this one has the run'),
    );
    this.#pendingAnswers.add(answering);
    await answering;
    this.#pendingAnswers.delete(answering);
  }

  /** Answers a ping of another process, after all answers to its earlier questions. Never rejects. */
  async answerPing(question: Extract<ControlMessage, { kind: 'are-you-there' }>): Promise<void> {
    await Promise.all(this.#pendingAnswers);
    await this.#dependencies.peers.answer(question);
  }

  /** Handles an answer to a question of this process. */
  onAnswer(answer: Extract<ControlMessage, { kind: 'i-run' }>): void {
    if (answer.asker === this.#dependencies.worker) this.#openQuestions.get(answer.runId)?.abort();
  }
}

/** An executor that reconnected after the question was sent may have missed it. */
function stateSince({ state, since }: PeerAnswer, asked: number): LocatedState {
  return state === 'alive' && since > asked ? 'reconnected' : state;
}

/**
 * Keeps how long each executor that has not answered can still execute the run. An executor that could not be asked this
 * time, since this process lost its own connection, keeps the wait of its state before.
 */
function keepWaits(
  waits: Map<string, number>,
  asked: readonly string[],
  states: readonly LocatedState[],
): void {
  for (const [index, peer] of asked.entries()) {
    const state = states[index] ?? 'unknown';
    if (state === 'alive') waits.delete(peer);
    else if (state !== 'unknown' || !waits.has(peer)) waits.set(peer, MAXIMUM_WAIT_MILLISECONDS[state]);
  }
}

/** Settles as the promise does, or resolves to null when the signal fires first. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(null);
    const abort = () => resolve(null);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
