import type { MessageBus } from '@millrace/messaging';
import { ObjectStoreUnavailableError } from '@millrace/runs';
import type { RunStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { PoolWatch } from './executor-pools';
import type { PendingRuns } from './pending-runs';
import type { PendingRun } from './pending-run';
import { brokerUnavailable, noExecutor } from './run-error';
import { newestRuns } from './newest-runs';
import { endedRecord, storedEnding } from './stored-ending';

const TICK_MILLISECONDS = 1_000;
/** How long pending runs are kept after the connection loss when the broker refuses connections. */
const REFUSED_GRACE_MILLISECONDS = 700;
/** The same for a broker that has not refused yet: the connection was cut, or the machine is overloaded. */
const SILENT_GRACE_MILLISECONDS = 3_000;
/** The same for a stream with events already sent: it can resume for as long as executors retry their replies. */
const STREAM_GRACE_MILLISECONDS = 5_000;
/** A pool without consumers for this long has no executor, so its queued runs cannot start. */
const EMPTY_POOL_MILLISECONDS = 1_000;
const LOOKUPS_PER_TICK = 100;
const MAXIMUM_LOOK_UP_MILLISECONDS = 60_000;

export interface PendingRunMonitorOptions {
  readonly pendingRuns: PendingRuns;
  readonly pools: PoolWatch;
  readonly bus: MessageBus;
  readonly runs: RunStore;
  readonly logger: Logger;
}

/**
 * Ends pending runs whose reply can no longer arrive. Once a second it ends runs queued in a pool that lost its
 * executors with no_executor, and looks up runs in the database whose reply may be lost. When the broker stays
 * unavailable, it ends every interactive run with broker_unavailable, started streams last.
 */
export class PendingRunMonitor {
  readonly #options: PendingRunMonitorOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #stopStateWatch: () => void;
  readonly #emptySince = new Map<string, number>();
  readonly #graceTimers: NodeJS.Timeout[] = [];
  #lostAt = 0;
  #ticking = false;

  constructor(options: PendingRunMonitorOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#tick(), TICK_MILLISECONDS);
    this.#timer.unref();
    this.#stopStateWatch = options.bus.onStateChange((state) => {
      if (state === 'disconnected') this.#brokerLost();
      else if (state === 'unreachable') this.#brokerRefused();
      else if (state === 'connected') this.#brokerBack();
    });
  }

  close(): void {
    this.#stopStateWatch();
    clearInterval(this.#timer);
    this.#clearGraceTimers();
  }

  #brokerLost(): void {
    const { pendingRuns } = this.#options;
    // Replies sent in this moment had no queue, so the endings of these runs must be looked up.
    for (const run of pendingRuns.list()) run.lookUpAt = machineTime() + TICK_MILLISECONDS;
    this.#clearGraceTimers();
    this.#lostAt = machineTime();
    this.#graceTimers.push(
      setTimeout(() => this.#endRuns((run) => !hasSentEvents(run)), SILENT_GRACE_MILLISECONDS),
      setTimeout(() => this.#endRuns(() => true), STREAM_GRACE_MILLISECONDS),
    );
  }

  #brokerRefused(): void {
    const grace = Math.max(0, this.#lostAt + REFUSED_GRACE_MILLISECONDS - machineTime());
    this.#graceTimers.push(setTimeout(() => this.#endRuns((run) => !hasSentEvents(run)), grace));
  }

  #clearGraceTimers(): void {
    for (const grace of this.#graceTimers.splice(0)) clearTimeout(grace);
  }

  /** Ends the selected interactive runs because the broker stays unavailable. */
  #endRuns(isSelected: (run: PendingRun) => boolean): void {
    const { pendingRuns } = this.#options;
    const error = brokerUnavailable();
    for (const run of [...pendingRuns.list()]) {
      if (!run.options.durable && isSelected(run))
        pendingRuns.end(run.options.runId, { kind: 'lost', error });
    }
  }

  #brokerBack(): void {
    this.#clearGraceTimers();
    // The content of the reply queue was lost with the connection.
    this.#options.pendingRuns.requestFrames();
  }

  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      await this.#endStuckRuns();
      await this.#lookUpEndings();
    } catch (error) {
      this.#options.logger.warn({ error }, 'the check of pending runs failed');
    } finally {
      this.#ticking = false;
    }
  }

  async #endStuckRuns(): Promise<void> {
    const { pendingRuns, pools, bus } = this.#options;
    if (bus.state !== 'connected') return;
    const silentPools = new Set<string>();
    for (const run of pendingRuns.list())
      if (!pools.isAlive(run.options.pool)) silentPools.add(run.options.pool);
    for (const pool of this.#emptySince.keys()) if (!silentPools.has(pool)) this.#emptySince.delete(pool);
    for (const pool of silentPools) {
      const status = await pools.status(pool);
      if (status && status.consumers > 0) {
        this.#emptySince.delete(pool);
        continue;
      }
      const since = this.#emptySince.get(pool) ?? machineTime();
      this.#emptySince.set(pool, since);
      if (machineTime() - since >= EMPTY_POOL_MILLISECONDS)
        this.#endNewest(pool, status?.messages ?? Infinity);
    }
  }

  /**
   * Ends the newest runs, which are still in the queue, and those whose jobs were not sent. Older ones may be in flight at an
   * executor that is stopping.
   */
  #endNewest(pool: string, queued: number): void {
    const { pendingRuns } = this.#options;
    const ofPool = [...pendingRuns.list()].filter(({ options }) => options.pool === pool && !options.durable);
    const sent = ofPool.filter(({ turn }) => turn !== 'held');
    const held = ofPool.filter(({ turn }) => turn === 'held');
    const stuck = newestRuns(sent, queued);
    // First those that were not sent, since each end sends one of them.
    for (const { options } of [...held, ...stuck])
      pendingRuns.end(options.runId, { kind: 'lost', error: noExecutor(options) });
  }

  async #lookUpEndings(): Promise<void> {
    const { pendingRuns, runs } = this.#options;
    const now = machineTime();
    const due: PendingRun[] = [];
    for (const run of pendingRuns.list()) {
      if (run.lookUpAt <= now) due.push(run);
      if (due.length >= LOOKUPS_PER_TICK) break;
    }
    for (const run of due) {
      run.lookUpAt = now + nextLookUp(run, now);
      const record = await endedRecord(runs, run.options.userId, run.options.runId).catch(
        (error: unknown) => {
          // The next look can succeed, and the other runs do not wait for it.
          if (error instanceof ObjectStoreUnavailableError) return null;
          throw error;
        },
      );
      const ending = record && storedEnding(record);
      if (record && ending) pendingRuns.endStored(run, ending, record.attempt);
    }
  }
}

/** Returns whether the run is streamed and its caller has received events. */
function hasSentEvents({ options, nextSequence }: PendingRun): boolean {
  return options.onEvents !== null && nextSequence > 0;
}

/**
 * Doubles the interval each time. A durable run can end without a reply to this gateway, so its interval is constant.
 */
function nextLookUp({ options, publishedAt }: PendingRun, now: number): number {
  if (options.durable) return TICK_MILLISECONDS;
  return Math.min(MAXIMUM_LOOK_UP_MILLISECONDS, Math.max(TICK_MILLISECONDS, now - publishedAt));
}
