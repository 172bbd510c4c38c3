import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerNames, ControlMessage } from '@millrace/messages';
import { broadcastControlMessage, sendControlMessage, workerKey } from '@millrace/dispatch';
import type { WorkerState } from '@millrace/dispatch';
import type { KeyValueStore } from '@millrace/key-value';
import { UnroutableError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';

/** Time limit for the answer of another executor; the broker needs a few milliseconds of it. */
export const ANSWER_TIMEOUT_MILLISECONDS = 250;
/** Questions within this time share one ping. */
const BATCH_MILLISECONDS = 5;
const MAXIMUM_PEERS = 1_000;

/**
 * The state of another executor:
 *
 * - `alive`: it has answered, so it has processed every control message that was sent to it before the question
 * - `silent`: it is connected to the broker, but does not answer in time
 * - `disconnected`: it has lost its connection to the broker, but reports in the key-value store that it is alive
 * - `missing`: it is not connected to the broker and does not report (or does not report yet) that it is alive
 * - `unknown`: it could not be asked
 */
export type PeerState = 'alive' | 'silent' | 'disconnected' | 'missing' | 'unknown';

/** The result of one question. */
export interface PeerAnswer {
  readonly state: PeerState;
  /** When it last connected, by this process' monotonic clock; earlier messages to it may have found no queue. */
  readonly since: number;
}

export interface PeersDependencies {
  readonly bus: MessageBus;
  readonly names: BrokerNames;
  readonly keyValue: KeyValueStore;
  readonly worker: string;
  readonly pool: string;
  readonly logger: Logger;
}

type Question = Extract<ControlMessage, { kind: 'are-you-there' }>;
type Answer = Extract<ControlMessage, { kind: 'i-am-here' }>;

/**
 * The other executors of the pool and their states; a lost connection or channel does not mean a crash. Executors
 * discover each other because each one asks all others when it starts and after each reconnect.
 */
export class Peers {
  readonly #dependencies: PeersDependencies;
  readonly #known = new Set<string>();
  /** Pings that are about to be sent. */
  readonly #scheduledPings = new Map<string, Promise<PeerAnswer>>();
  /** Callbacks for answers, by ping number. */
  readonly #pingCallbacks = new Map<number, (connectedMilliseconds: number) => void>();
  readonly #endStateWatch: () => void;
  #pings = 0;
  /** Null while the connection is lost; its consumers are restored, and receive questions, before it counts as back. */
  #connectedAt: number | null = performance.now();

  constructor(dependencies: PeersDependencies) {
    this.#dependencies = dependencies;
    this.#endStateWatch = dependencies.bus.onStateChange((state) => {
      if (state === 'disconnected' || state === 'unreachable') this.#connectedAt = null;
      if (state !== 'connected') return;
      this.#connectedAt ??= performance.now();
      void this.discoverAll();
    });
  }

  /** The discovered executors; some of them may have stopped. */
  get others(): readonly string[] {
    return [...this.#known];
  }

  /** Asks every executor to identify itself. Never rejects. */
  async discoverAll(): Promise<void> {
    const { worker, pool, logger } = this.#dependencies;
    try {
      const question = { kind: 'are-you-there', asker: worker, pool, ping: 0 } as const;
      await broadcastControlMessage(this.#dependencies, question);
    } catch (error) {
      logger.warn({ error }, 'could not discover the other executors');
    }
  }

  close(): void {
    this.#endStateWatch();
  }

  /** Asks an executor whether it is alive; simultaneous questions share one ping. Never rejects. */
  ask(worker: string): Promise<PeerAnswer> {
    const next = this.#scheduledPings.get(worker);
    if (next) return next;
    const asking = sleep(BATCH_MILLISECONDS).then(() => {
      this.#scheduledPings.delete(worker);
      return this.#ping(worker);
    });
    this.#scheduledPings.set(worker, asking);
    return asking;
  }

  /** Removes an executor that has crashed or stopped; it is not asked again unless it returns. */
  remove(worker: string): void {
    this.#known.delete(worker);
  }

  /** Answers the ping of another executor. Never rejects. */
  async answer({ asker, pool, ping }: Question): Promise<void> {
    const { worker, pool: ownPool, logger } = this.#dependencies;
    if (asker === worker) return;
    this.#add(asker, pool);
    try {
      const connectedAt = this.#connectedAt ?? performance.now();
      const connectedMilliseconds = Math.floor(performance.now() - connectedAt);
      const answer = { kind: 'i-am-here', worker, pool: ownPool, ping, connectedMilliseconds } as const;
      await sendControlMessage(this.#dependencies, asker, answer);
    } catch (error) {
      if (!(error instanceof UnroutableError))
        logger.warn({ error, asker }, 'could not notify another executor that this one is alive');
    }
  }

  /** Handles an answer to a ping. */
  onAnswer({ worker, pool, ping, connectedMilliseconds }: Answer): void {
    this.#add(worker, pool);
    this.#pingCallbacks.get(ping)?.(connectedMilliseconds);
  }

  #add(worker: string, pool: string): void {
    if (pool === this.#dependencies.pool && this.#known.size < MAXIMUM_PEERS) this.#known.add(worker);
  }

  async #ping(worker: string): Promise<PeerAnswer> {
    const ping = (this.#pings += 1);
    const answer = new AbortController();
    let since = Number.POSITIVE_INFINITY;
    this.#pingCallbacks.set(ping, (connectedMilliseconds) => {
      since = performance.now() - connectedMilliseconds;
      answer.abort();
    });
    try {
      const { worker: asker, pool } = this.#dependencies;
      await sendControlMessage(this.#dependencies, worker, { kind: 'are-you-there', asker, pool, ping });
      await sleep(ANSWER_TIMEOUT_MILLISECONDS, undefined, { signal: answer.signal }).catch(() => undefined);
      if (answer.signal.aborted) return { state: 'alive', since };
      // Executors of the previous version do not answer pings; they have had the time limit of that version.
      const reported = await this.#reportedState(worker);
      return reported && reported.answers !== true
        ? { state: 'alive', since: Number.NEGATIVE_INFINITY }
        : { state: 'silent', since };
    } catch (error) {
      if (!(error instanceof UnroutableError)) return { state: 'unknown', since };
      const reported = await this.#reportedState(worker);
      if (reported === undefined) return { state: 'unknown', since };
      return { state: reported?.isAway === true ? 'disconnected' : 'missing', since };
    } finally {
      this.#pingCallbacks.delete(ping);
    }
  }

  /** Reads the state that the executor reports; null when there is none, undefined when it cannot be read. */
  async #reportedState(worker: string): Promise<Partial<WorkerState> | null | undefined> {
    try {
      const text = await this.#dependencies.keyValue.get(workerKey(worker));
      return text === null ? null : (JSON.parse(text) as Partial<WorkerState>);
    } catch {
      return undefined;
    }
  }
}
