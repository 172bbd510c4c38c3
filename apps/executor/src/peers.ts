import { setTimeout as sleep } from 'node:timers/promises';
import type { BrokerNames, ControlMessage } from '@millrace/contracts';
import type { KeyValueStore } from '@millrace/key-value';
import { UnroutableError } from '@millrace/messaging';
import type { MessageBus } from '@millrace/messaging';
import type { Logger } from '@millrace/service';
import { workerKey } from './worker-state';
import type { WorkerState } from './worker-state';

/** How long another executor has for its answer; the broker takes a few milliseconds. */
export const ANSWER_WITHIN_MILLISECONDS = 250;
/** Questions of so many milliseconds have one ping. */
const GATHERED_MILLISECONDS = 5;
const MOST_PEERS = 1_000;

/**
 * What is known of another executor:
 *
 * - `here`: it has answered, and so has acted on every control message that was sent to it before the question
 * - `silent`: its connection to the broker stands, and it does not answer in time
 * - `away`: it has lost its connection to the broker, and has said in the key-value store that it lives
 * - `gone`: it has no connection to the broker, and has not said that it lives (or not yet)
 * - `unknown`: it could not be asked
 */
export type PeerState = 'here' | 'silent' | 'away' | 'gone' | 'unknown';

/** What one question says. */
export interface PeerAnswer {
  readonly state: PeerState;
  /** By this process' monotonic clock: what was sent to it before may have found no queue. */
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
 * The other executors of the pool, and whether they live: a lost connection or channel is no death. They know each other
 * because each one asks all of them when it starts and whenever it has its connection again.
 */
export class Peers {
  readonly #dependencies: PeersDependencies;
  readonly #known = new Set<string>();
  /** Pings that are about to be sent. */
  readonly #next = new Map<string, Promise<PeerAnswer>>();
  /** By the number of the ping. */
  readonly #answered = new Map<number, (connectedMilliseconds: number) => void>();
  readonly #endStateWatch: () => void;
  #pings = 0;
  #connectedAt = performance.now();

  constructor(dependencies: PeersDependencies) {
    this.#dependencies = dependencies;
    this.#endStateWatch = dependencies.bus.onStateChange((state) => {
      if (state !== 'connected') return;
      this.#connectedAt = performance.now();
      void this.meetAll();
    });
  }

  /** Those that may be there. */
  get others(): readonly string[] {
    return [...this.#known];
  }

  /** Asks every executor who it is. Never rejects. */
  async meetAll(): Promise<void> {
    const { bus, names, worker, pool, logger } = this.#dependencies;
    const question: ControlMessage = { kind: 'are-you-there', asker: worker, pool, ping: 0 };
    try {
      await bus.publish({
        exchange: names.controlExchange,
        routingKey: '',
        body: Buffer.from(JSON.stringify(question)),
        persistent: false,
        mandatory: false,
      });
    } catch (error) {
      logger.warn({ error }, 'the other executors could not be asked who they are');
    }
  }

  close(): void {
    this.#endStateWatch();
  }

  /** Asks whether it lives; questions that come together are one. Never rejects. */
  ask(worker: string): Promise<PeerAnswer> {
    const next = this.#next.get(worker);
    if (next) return next;
    const asking = sleep(GATHERED_MILLISECONDS).then(() => {
      this.#next.delete(worker);
      return this.#ping(worker);
    });
    this.#next.set(worker, asking);
    return asking;
  }

  /** It has died, or has stopped: it is not asked any more unless it comes back. */
  forget(worker: string): void {
    this.#known.delete(worker);
  }

  /** Another executor asks whether this one lives. Never rejects. */
  async answer({ asker, pool, ping }: Question): Promise<void> {
    const { worker, pool: ours, logger } = this.#dependencies;
    if (asker === worker) return;
    this.#meet(asker, pool);
    try {
      const connectedMilliseconds = Math.floor(performance.now() - this.#connectedAt);
      await this.#send(asker, { kind: 'i-am-here', worker, pool: ours, ping, connectedMilliseconds });
    } catch (error) {
      if (!(error instanceof UnroutableError))
        logger.warn({ error, asker }, 'another executor was not told that this one lives');
    }
  }

  /** An answer came. */
  answered({ worker, pool, ping, connectedMilliseconds }: Answer): void {
    this.#meet(worker, pool);
    this.#answered.get(ping)?.(connectedMilliseconds);
  }

  #meet(worker: string, pool: string): void {
    if (pool === this.#dependencies.pool && this.#known.size < MOST_PEERS) this.#known.add(worker);
  }

  async #ping(worker: string): Promise<PeerAnswer> {
    const ping = (this.#pings += 1);
    const answer = new AbortController();
    let since = Number.POSITIVE_INFINITY;
    this.#answered.set(ping, (connectedMilliseconds) => {
      since = performance.now() - connectedMilliseconds;
      answer.abort();
    });
    try {
      const { worker: asker, pool } = this.#dependencies;
      await this.#send(worker, { kind: 'are-you-there', asker, pool, ping });
      await sleep(ANSWER_WITHIN_MILLISECONDS, undefined, { signal: answer.signal }).catch(() => undefined);
      if (answer.signal.aborted) return { state: 'here', since };
      // Executors of the version before do not answer; they have had the time that they were given there.
      const said = await this.#stateOf(worker);
      return said && said.answers !== true
        ? { state: 'here', since: Number.NEGATIVE_INFINITY }
        : { state: 'silent', since };
    } catch (error) {
      if (!(error instanceof UnroutableError)) return { state: 'unknown', since };
      const said = await this.#stateOf(worker);
      if (said === undefined) return { state: 'unknown', since };
      return { state: said?.isAway === true ? 'away' : 'gone', since };
    } finally {
      this.#answered.delete(ping);
    }
  }

  /** What it says of itself; null when it says nothing, undefined when that cannot be read. */
  async #stateOf(worker: string): Promise<Partial<WorkerState> | null | undefined> {
    try {
      const text = await this.#dependencies.keyValue.get(workerKey(worker));
      return text === null ? null : (JSON.parse(text) as Partial<WorkerState>);
    } catch {
      return undefined;
    }
  }

  #send(worker: string, message: ControlMessage): Promise<void> {
    const { bus, names } = this.#dependencies;
    return bus.publish({
      exchange: '',
      routingKey: names.control(worker),
      body: Buffer.from(JSON.stringify(message)),
      persistent: false,
      mandatory: true,
    });
  }
}
