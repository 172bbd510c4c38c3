import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger, Metrics } from '@millrace/service';
import { DatabaseConflictError, DatabaseUnavailableError } from '../../database';
import type {
  Database,
  Queryable,
  QueryResult,
  Statement,
  Transactional,
  TransactionOptions,
} from '../../database';

/** How long a read waits for the replica; measured lags of an idle pair are 1 to 3 ms. */
const MAXIMUM_LAG_MILLISECONDS = 100;
const POLL_MILLISECONDS = 4;
/** For how long the primary serves all reads after the replica did not. */
const PAUSE_MILLISECONDS = 2_000;
const LINE_MILLISECONDS = 60_000;

const POSITION = {
  name: 'replica-position',
  text: `SELECT pg_current_wal_flush_lsn()::text AS position,
    (SELECT system_identifier::text FROM pg_control_system()) AS system`,
};
const STATE = {
  name: 'replica-state',
  text: `SELECT pg_is_in_recovery() AS "isStandby", coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS "isReached",
    (SELECT system_identifier::text FROM pg_control_system()) AS system`,
};

interface Position {
  readonly position: string;
  readonly system: string;
}

interface ReplicaState {
  readonly isStandby: boolean;
  readonly isReached: boolean;
  readonly system: string;
}

type Server = 'replica' | 'primary';
type Reason = 'reached' | 'behind' | 'away';

export interface ReplicaReadsOptions {
  readonly primary: Transactional;
  readonly replica: Database;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Metrics;
}

/**
 * Reads from a standby of the primary what the primary had committed when the read began: it asks the primary for its
 * position in the write-ahead log, and waits until the replica has replayed that. The primary serves the read itself while
 * the replica is further behind than 100 ms, away, or no standby of it.
 */
export class ReplicaReads implements Transactional {
  readonly #options: ReplicaReadsOptions;
  readonly #count: (server: Server, reason: Reason) => void;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #pauseReason: Exclude<Reason, 'reached'> = 'away';
  #lastLine = Number.NEGATIVE_INFINITY;

  constructor(options: ReplicaReadsOptions) {
    this.#options = options;
    const reads = options.metrics.counter(
      'millrace_replica_reads_total',
      'Reads of lists and history with DATABASE_REPLICA_URL, by the server that answered, and why',
    );
    this.#count = (server, reason) => reads.add(1, { server, reason });
  }

  query<Row = Record<string, unknown>>(statement: Statement): Promise<QueryResult<Row>> {
    return this.#read((server) => server.query<Row>(statement));
  }

  /** `work` must only read. It is executed again on the primary when the replica fails. */
  transaction<T>(work: (connection: Queryable) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#read((server) => server.transaction(work, options));
  }

  async #read<T>(work: (server: Transactional) => Promise<T>): Promise<T> {
    const { primary, replica } = this.#options;
    const isUsable = performance.now() >= this.#pausedUntil && (await this.#hasCaughtUp());
    if (isUsable) {
      try {
        const result = await work(replica);
        this.#count('replica', 'reached');
        return result;
      } catch (error) {
        // A standby cancels single statements that conflict with its replay; it refuses wrong ones as the primary does.
        const isAway = error instanceof DatabaseUnavailableError && !(error instanceof DatabaseConflictError);
        if (isAway) this.#pause('away', error);
      }
    }
    this.#count('primary', this.#pauseReason);
    return work(primary);
  }

  async #hasCaughtUp(): Promise<boolean> {
    const { primary, replica } = this.#options;
    const {
      rows: [at],
    } = await primary.query<Position>(POSITION);
    const end = performance.now() + MAXIMUM_LAG_MILLISECONDS;
    try {
      for (;;) {
        const { rows } = await replica.query<ReplicaState>({ ...STATE, values: [at?.position] });
        const [state] = rows;
        if (state?.isStandby !== true || state.system !== at?.system)
          throw new Error('The server of DATABASE_REPLICA_URL is no standby of that of DATABASE_URL');
        if (state.isReached) return true;
        if (performance.now() >= end) break;
        await sleep(POLL_MILLISECONDS * (0.5 + Math.random()));
      }
      this.#pause('behind', undefined);
    } catch (error) {
      this.#pause('away', error);
    }
    return false;
  }

  #pause(reason: Exclude<Reason, 'reached'>, error: unknown): void {
    const now = performance.now();
    this.#pausedUntil = now + PAUSE_MILLISECONDS;
    this.#pauseReason = reason;
    if (now - this.#lastLine < LINE_MILLISECONDS) return;
    this.#lastLine = now;
    this.#options.logger.warn({ error }, `the primary serves lists: the replica is ${reason}`);
  }
}
