import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerNames, ControlMessage } from '@millrace/contracts';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import { ANSWER_WITHIN_MILLISECONDS } from './peers';
import type { PeerAnswer, Peers, PeerState } from './peers';

/** How long others are asked, again and again, when this process has lost its own connection lately. */
const SHAKEN_MILLISECONDS = 2_000;
const SHAKEN_FOR_MILLISECONDS = 10_000;
/** How long an executor that does not answer may still have the run: what stands still for longer is ended. */
const LONGEST_MILLISECONDS: Readonly<Record<Exclude<PeerState, 'here'>, number>> = {
  silent: 10_000,
  away: 20_000,
  gone: 2 * SHAKEN_MILLISECONDS,
  unknown: SHAKEN_MILLISECONDS,
};

/**
 * Who has a run that came again. `unclear`: somebody may have it who lives and did not answer in time.
 */
export type Holding = 'elsewhere' | 'nowhere' | 'unclear';

export interface TakeoverDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly worker: string;
  readonly peers: Peers;
  readonly logger: Logger;
}

/** A run that others are asked for. */
export interface AskedRun {
  readonly runId: string;
  /** The executor that its row names, whose lease protects it. Without a row, any executor may have it. */
  readonly holder?: string;
  /** How long the answer is of use. */
  readonly patienceMilliseconds?: number;
}

/**
 * A redelivery is no proof of death: a connection that is cut and a channel that the broker closes redeliver, too. Before a
 * run is taken over, everybody is asked who runs it. Nobody does when each executor has answered something that was asked
 * later, or has died.
 */
export class Takeover {
  readonly #dependencies: TakeoverDependencies;
  /** By run id: aborted by the answer. */
  readonly #asked = new Map<string, AbortController>();
  /** Answers on their way: whoever is told that this process lives has been told of its runs before. */
  readonly #answering = new Set<Promise<void>>();
  #cutAt = Number.NEGATIVE_INFINITY;

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies;
    dependencies.bus.onStateChange((state) => {
      if (state === 'disconnected') this.#cutAt = performance.now();
    });
  }

  /** Asks who has the run, until that is known or there is no more patience. Never rejects. */
  async whoHas({ runId, ...run }: AskedRun): Promise<Holding> {
    const answer = new AbortController();
    this.#asked.set(runId, answer);
    try {
      return await this.#askAll(runId, run, answer.signal);
    } finally {
      if (this.#asked.get(runId) === answer) this.#asked.delete(runId);
    }
  }

  async #askAll(
    runId: string,
    { holder, patienceMilliseconds = Number.POSITIVE_INFINITY }: Omit<AskedRun, 'runId'>,
    answer: AbortSignal,
  ): Promise<Holding> {
    const { peers } = this.#dependencies;
    const started = performance.now();
    const passed = () => performance.now() - started;
    // One look at who is gone is not enough: who has just lost its connection has not said so yet.
    let gone: readonly string[] = [];
    for (;;) {
      const round = performance.now();
      // Messages of a lane come on a connection of their own, which may be back before the one that answers come on.
      const isListening = this.#dependencies.bus.state === 'connected';
      const isAsked = await this.#ask(runId, holder);
      const asked = holder === undefined ? peers.others : [holder];
      const answers = await untilAborted(Promise.all(asked.map((peer) => peers.ask(peer))), answer);
      if (answers === null) return 'elsewhere';
      const states = answers.map((said) => stateSince(said, round));
      const of = (state: PeerState) => asked.filter((_peer, index) => states[index] === state);
      const isPatient = passed() < (this.#isShaken() ? SHAKEN_MILLISECONDS : ANSWER_WITHIN_MILLISECONDS);
      const dead = isPatient ? [] : of('gone').filter((peer) => gone.includes(peer));
      // Executors of the version before are not known here: without a holder, there must be time for their answer.
      const isHeard = isListening && this.#cutAt < round;
      const mayDecide = isAsked && isHeard && (holder !== undefined || !isPatient);
      if (mayDecide && of('here').length + dead.length === asked.length) {
        for (const peer of dead) peers.forget(peer);
        return 'nowhere';
      }
      const open = states.filter((state) => state !== 'here');
      if (holder !== undefined && (states[0] === 'away' || states[0] === 'silent')) return 'unclear';
      const longest = Math.max(SHAKEN_MILLISECONDS, ...open.map((state) => LONGEST_MILLISECONDS[state]));
      if (passed() > Math.min(patienceMilliseconds, longest)) return 'unclear';
      gone = of('gone');
      const wait = ANSWER_WITHIN_MILLISECONDS - (performance.now() - round);
      await sleep(Math.max(1, wait), undefined, { signal: answer }).catch(() => undefined);
      if (answer.aborted) return 'elsewhere';
    }
  }

  /** False when the question could not be sent. */
  async #ask(runId: string, holder: string | undefined): Promise<boolean> {
    const { worker: asker } = this.#dependencies;
    try {
      await this.#send({ kind: 'who-runs', runId, attempt: 0, asker, ...(holder && { holder }) });
      return true;
    } catch (error) {
      this.#dependencies.logger.warn(
        { error, runId },
        'the other executors could not be asked who runs a run',
      );
      return false;
    }
  }

  /**
   * Whether this process lost its own connection a moment ago. Then others may have lost theirs, too: they live, but a
   * question reaches them only when their queue is there again.
   */
  #isShaken(): boolean {
    const passed = performance.now() - this.#cutAt;
    return this.#dependencies.bus.state !== 'connected' || passed < SHAKEN_FOR_MILLISECONDS;
  }

  /**
   * Another process asks who runs a run, of which this one has the attempt, or will have it. When both ask about the same run, the
   * one whose name comes first has it. Never rejects.
   */
  async answer(
    { runId, asker, holder }: Extract<ControlMessage, { kind: 'who-runs' }>,
    { attempt, isInHand }: { readonly attempt: number | undefined; readonly isInHand: boolean },
  ): Promise<void> {
    const { worker, logger } = this.#dependencies;
    // Its claim may be stored before this process has the answer to it.
    const isOurs =
      attempt !== undefined || (isInHand && (holder === worker || !this.#asked.has(runId) || worker < asker));
    if (asker === worker || !isOurs) return;
    const answering = this.#send({ kind: 'i-run', runId, attempt: attempt ?? 0, worker, asker }).catch(
      (error: unknown) =>
        logger.warn({ error, runId, asker }, 'another executor was not told that this one has the run'),
    );
    this.#answering.add(answering);
    await answering;
    this.#answering.delete(answering);
  }

  /** Another process asks whether this one lives: it is told so after everything it asked for before. Never rejects. */
  async answerPing(question: Extract<ControlMessage, { kind: 'are-you-there' }>): Promise<void> {
    await Promise.all(this.#answering);
    await this.#dependencies.peers.answer(question);
  }

  /** An answer came. */
  answered(answer: Extract<ControlMessage, { kind: 'i-run' }>): void {
    if (answer.asker === this.#dependencies.worker) this.#asked.get(answer.runId)?.abort();
  }

  #send(message: ControlMessage): Promise<void> {
    const { bus, names } = this.#dependencies;
    return bus.publish({
      exchange: names.controlExchange,
      routingKey: '',
      body: Buffer.from(JSON.stringify(message)),
      persistent: false,
      mandatory: false,
    });
  }
}

/** Whoever has its connection again since the question was sent may have missed it. */
function stateSince({ state, since }: PeerAnswer, asked: number): PeerState {
  return state === 'here' && since > asked ? 'unknown' : state;
}

/** Settles as the promise does, or resolves to null when the signal fires before. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(null);
    const abort = () => resolve(null);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
