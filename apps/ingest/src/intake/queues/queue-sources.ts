import { randomUUID } from 'node:crypto';
import { QueueSourceError, readQueueSource } from '@millrace/dispatch';
import type { QueueSourceRules } from '@millrace/dispatch';
import type { HeldSource, SourceOwner } from '@millrace/runs';
import { QueueSource } from './queue-source';
import type { QueueSourceDependencies } from './queue-source-dependencies';

const ROUND_MILLISECONDS = 1_000;
/** Rounds between two looks for sources while the process has none. */
const IDLE_ROUNDS = 2;
/** Maximum number of sources that a process takes in a round, so that they spread over the processes. */
const CLAIMED_PER_ROUND = 5;

export interface QueueSourcesOptions extends QueueSourceDependencies {
  /** Maximum number of sources of this process. */
  readonly maximumSources: number;
  /** Interval at which leases are renewed and sources are looked for; default one second. */
  readonly roundMilliseconds?: number | undefined;
  /** How long a source stays with a process that renews nothing. */
  readonly leaseMilliseconds: number;
}

interface RunningSource {
  readonly source: QueueSource;
  /** The configuration as text; a change of it makes another source. */
  readonly config: string;
  isClosing: boolean;
}

/**
 * Runs the sources whose leases this process has. Each source consumes in one process, and in another one after its
 * process has ended or has not renewed the lease.
 */
export class QueueSources {
  readonly #options: QueueSourcesOptions;
  readonly #owner: SourceOwner;
  readonly #sources = new Map<string, RunningSource>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #heldAt = performance.now();

  constructor(options: QueueSourcesOptions) {
    this.#options = options;
    this.#owner = { owner: randomUUID(), leaseMilliseconds: options.leaseMilliseconds };
  }

  /** How many sources of this process consume. */
  get consuming(): number {
    return [...this.#sources.values()].filter(({ source }) => source.isConsuming).length;
  }

  start(): void {
    this.#schedule();
  }

  /** Returns what is not stored to the queues, and lets other processes take the sources at once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#round;
    for (const id of [...this.#sources.keys()]) this.#end(id);
    await Promise.all(this.#closing);
  }

  get #pause(): number {
    const { roundMilliseconds = ROUND_MILLISECONDS } = this.#options;
    return this.#sources.size === 0 ? IDLE_ROUNDS * roundMilliseconds : roundMilliseconds;
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#runRound().then(() => this.#schedule());
    }, this.#pause);
  }

  async #runRound(): Promise<void> {
    const { sources, logger, maximumSources, pythonPool } = this.#options;
    try {
      const room = Math.min(CLAIMED_PER_ROUND, maximumSources - this.#sources.size);
      const claimed = room > 0 ? await sources.claim(this.#owner, room) : 0;
      if (claimed === 0 && this.#sources.size === 0) return;
      const held = await sources.hold(this.#owner, pythonPool);
      this.#heldAt = performance.now();
      this.#apply(held);
    } catch (error) {
      logger.warn({ error }, 'leases of sources could not be renewed; this will be retried');
      // Another process can have them from now on.
      if (performance.now() - this.#heldAt > this.#owner.leaseMilliseconds)
        for (const id of [...this.#sources.keys()]) this.#end(id);
    }
  }

  #apply(held: readonly HeldSource[]): void {
    const ids = new Set(held.map(({ trigger }) => trigger.id));
    for (const id of [...this.#sources.keys()]) if (!ids.has(id)) this.#end(id);
    for (const source of held) {
      const running = this.#sources.get(source.trigger.id);
      if (!running) this.#begin(source);
      else if (running.config !== JSON.stringify(source.trigger.config)) this.#end(source.trigger.id);
      else if (!running.isClosing) running.source.update(source);
    }
  }

  #begin(held: HeldSource): void {
    const { id, config } = held.trigger;
    const rules = this.#rulesOf(held);
    if (rules === null) return;
    const { owner } = this.#owner;
    const source = new QueueSource({ dependencies: this.#options, owner, held, rules });
    this.#sources.set(id, { source, config: JSON.stringify(config), isClosing: false });
  }

  /** A configuration was checked when it was stored, by a release that may have had other rules. */
  #rulesOf({ trigger }: HeldSource): QueueSourceRules | null {
    try {
      return readQueueSource(trigger.config, { maximumPrefetch: Infinity }).rules;
    } catch (error) {
      if (!(error instanceof QueueSourceError)) throw error;
      const { sources, logger } = this.#options;
      const { id: triggerId, userId } = trigger;
      const note = { state: 'failing', error: error.message } as const;
      sources
        .note(this.#owner.owner, triggerId, note)
        .catch((failure: unknown) =>
          logger.warn({ error: failure, triggerId, userId }, 'the state of a source could not be stored'),
        );
      return null;
    }
  }

  /** Ends a source; it stays in the map until it has ended, so that it does not begin twice. */
  #end(id: string): void {
    const running = this.#sources.get(id);
    if (!running || running.isClosing) return;
    running.isClosing = true;
    const { sources, logger } = this.#options;
    const ending = running.source
      .close()
      .then(() => sources.release(this.#owner.owner, [id]))
      .catch((error: unknown) =>
        logger.warn({ error, triggerId: id }, 'the lease of a source could not be ended'),
      )
      .finally(() => {
        this.#sources.delete(id);
        this.#closing.delete(ending);
      });
    this.#closing.add(ending);
  }
}
