import type { MessageBus } from '@millrace/messaging';
import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import { RequestError } from '../http/request-error';
import { storedEnding } from './durable-runs';
import { noExecutor } from './pool-watch';
import type { PoolWatch } from './pool-watch';
import type { WaitingRoom } from './waiting-room';
import type { WaitingRun } from './waiting-run';

const TICK_MILLISECONDS = 1_000;
/** How long after its loss a broker that refuses connections may come back before callers are told. */
const REFUSED_GRACE_MILLISECONDS = 700;
/** A broker that has not refused yet may be slow to answer: the connection was cut, or the machine has much to do. */
const SILENT_GRACE_MILLISECONDS = 3_000;
/** A stream that has begun goes on where it stopped, for as long as executors keep trying to tell it more. */
const STREAM_GRACE_MILLISECONDS = 5_000;
/** A pool without consumers for this long has no executor; what is queued there is stuck. */
const EMPTY_POOL_MILLISECONDS = 1_000;
const LOOKUPS_A_TICK = 100;
const LONGEST_LOOK_UP_MILLISECONDS = 60_000;

export interface RoomKeeperOptions {
  readonly room: WaitingRoom;
  readonly pools: PoolWatch;
  readonly bus: MessageBus;
  readonly runs: RunStore;
  readonly logger: Logger;
}

/**
 * Sees to it that nobody waits in vain. Once a second: runs queued in a pool that lost its executors end with
 * no_executor, and runs whose reply may have got lost are looked up in the database. A broker that stays away ends
 * every fast run with broker_unavailable, streams that have begun last.
 */
export class RoomKeeper {
  readonly #options: RoomKeeperOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #endStateWatch: () => void;
  readonly #emptySince = new Map<string, number>();
  readonly #graces: NodeJS.Timeout[] = [];
  #lostAt = 0;
  #ticking = false;

  constructor(options: RoomKeeperOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#tick(), TICK_MILLISECONDS);
    this.#timer.unref();
    this.#endStateWatch = options.bus.onStateChange((state) => {
      if (state === 'disconnected') this.#brokerLost();
      else if (state === 'unreachable') this.#brokerRefused();
      else if (state === 'connected') this.#brokerBack();
    });
  }

  close(): void {
    this.#endStateWatch();
    clearInterval(this.#timer);
    this.#endGraces();
  }

  #brokerLost(): void {
    const { room } = this.#options;
    // Replies of this moment found no queue: their runs' ends must be asked for.
    for (const run of room.waiting()) run.lookUpAt = Date.now() + TICK_MILLISECONDS;
    this.#endGraces();
    this.#lostAt = Date.now();
    this.#graces.push(
      setTimeout(() => this.#giveUp((run) => !isTelling(run)), SILENT_GRACE_MILLISECONDS),
      setTimeout(() => this.#giveUp(() => true), STREAM_GRACE_MILLISECONDS),
    );
  }

  #brokerRefused(): void {
    const grace = Math.max(0, this.#lostAt + REFUSED_GRACE_MILLISECONDS - Date.now());
    this.#graces.push(setTimeout(() => this.#giveUp((run) => !isTelling(run)), grace));
  }

  #endGraces(): void {
    for (const grace of this.#graces.splice(0)) clearTimeout(grace);
  }

  /** The broker stays away: ends these of the fast runs. */
  #giveUp(isMeant: (run: WaitingRun) => boolean): void {
    const { room } = this.#options;
    const headers = { 'retry-after': '1' };
    const error = new RequestError('broker_unavailable', 'The message broker is not available.', {
      headers,
    });
    for (const run of [...room.waiting()]) {
      if (!run.options.durable && isMeant(run)) room.end(run.options.runId, { kind: 'lost', error });
    }
  }

  #brokerBack(): void {
    this.#endGraces();
    // What was in the reply queue went with it.
    this.#options.room.askForFrames();
  }

  async #tick(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      await this.#endStrandedRuns();
      await this.#lookUpEndings();
    } catch (error) {
      this.#options.logger.warn({ error }, 'waiting runs could not be looked after');
    } finally {
      this.#ticking = false;
    }
  }

  async #endStrandedRuns(): Promise<void> {
    const { room, pools, bus } = this.#options;
    if (bus.state !== 'connected') return;
    const quiet = new Set<string>();
    for (const run of room.waiting()) if (!pools.isAlive(run.options.pool)) quiet.add(run.options.pool);
    for (const pool of this.#emptySince.keys()) if (!quiet.has(pool)) this.#emptySince.delete(pool);
    for (const pool of quiet) {
      const status = await pools.status(pool);
      if (status && status.consumers > 0) {
        this.#emptySince.delete(pool);
        continue;
      }
      const since = this.#emptySince.get(pool) ?? Date.now();
      this.#emptySince.set(pool, since);
      if (Date.now() - since >= EMPTY_POOL_MILLISECONDS) this.#endNewest(pool, status?.messages ?? Infinity);
    }
  }

  /** The newest runs are those still in the queue; older ones may be in the hands of an executor that is closing. */
  #endNewest(pool: string, queued: number): void {
    const { room } = this.#options;
    const ofPool = [...room.waiting()].filter(({ options }) => options.pool === pool && !options.durable);
    const stuck = queued >= ofPool.length ? ofPool : queued > 0 ? ofPool.slice(-queued) : [];
    for (const { options } of stuck) room.end(options.runId, { kind: 'lost', error: noExecutor(pool) });
  }

  async #lookUpEndings(): Promise<void> {
    const { room, runs } = this.#options;
    const now = Date.now();
    const due: WaitingRun[] = [];
    for (const run of room.waiting()) {
      if (run.lookUpAt <= now) due.push(run);
      if (due.length >= LOOKUPS_A_TICK) break;
    }
    for (const run of due) {
      run.lookUpAt = now + nextLookUp(run, now);
      const record = await runs.find(run.options.userId, run.options.runId);
      const ending = record && storedEnding(record);
      if (record && ending) room.endStored(run, ending, record.attempt);
    }
  }
}

/** A stream whose caller has been told something. */
function isTelling({ options, next }: WaitingRun): boolean {
  return options.onEvents !== null && next > 0;
}

/** Twice as long as it has waited so far; a durable run's end may come from anywhere and is asked for steadily. */
function nextLookUp({ options, publishedAt }: WaitingRun, now: number): number {
  if (options.durable) return TICK_MILLISECONDS;
  return Math.min(LONGEST_LOOK_UP_MILLISECONDS, Math.max(TICK_MILLISECONDS, now - publishedAt));
}
