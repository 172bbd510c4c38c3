import { setTimeout as sleep } from 'node:timers/promises';
import { GroupCommit, isRowError } from '@millrace/runs';
import type { Claim, ClaimRequest, RunStore, RunCompletion, InteractiveRun } from '@millrace/runs';
import { backoff, machineTime } from '@millrace/service';
import type { Logger } from '@millrace/service';
import { DatabaseConflictError, DatabaseError, DatabaseUnavailableError } from '@millrace/database';
import type { MessageBus } from '@millrace/messaging';

/**
 * During a database outage no executor can claim a run, so deliveries wait here. Returning them to the queue would use
 * up their delivery limit and dead-letter them.
 */
const CLAIM_TIMEOUT_MILLISECONDS = 600_000;

const BATCHES = {
  maximumWaitMilliseconds: 2,
  maximumItems: 200,
  maximumPending: 10_000,
  splitOn: isRowError,
} as const;

/** A delivery that waits for its claim takes up a slot. After this time it goes back to its queue. */
const CLAIM_LOCK_TIMEOUT_MILLISECONDS = 3_000;

export interface GroupClaimsDependencies {
  readonly runs: RunStore;
  readonly worker: string;
  readonly logger: Logger;
  readonly shutdownDeadline: AbortSignal;
}

export interface GroupClaims {
  /** Resolves to `locked` when another session has locked the run for seconds. */
  add(claim: ClaimRequest): Promise<Claim>;
  close(): Promise<void>;
}

/** Creates the batch that claims many runs in few statements. */
export function groupClaims(dependencies: GroupClaimsDependencies): GroupClaims {
  const { runs, worker } = dependencies;
  const retryOptions = {
    ...dependencies,
    timeoutMilliseconds: CLAIM_TIMEOUT_MILLISECONDS,
    activity: 'claiming runs',
  };
  const group = new GroupCommit<ClaimRequest, Claim>({
    commit: (claims) =>
      retryDuringOutage(retryOptions, async (again) => {
        // A batch can contain two deliveries of one run; the first one gets the claim.
        const first = new Map<string, ClaimRequest>();
        for (const claim of claims) if (!first.has(claim.runId)) first.set(claim.runId, claim);
        const found = await runs.claim(
          [...first.values()].map((claim) => ({ ...claim, again: again || claim.again === true })),
        );
        return claims.map((claim) =>
          first.get(claim.runId) === claim
            ? (found.get(claim.runId) ?? { outcome: 'unknown' })
            : { outcome: 'held', worker, attempt: 0 },
        );
      }),
    ...BATCHES,
  });
  const options = { ...dependencies, timeoutMilliseconds: CLAIM_LOCK_TIMEOUT_MILLISECONDS };
  return {
    async add(claim) {
      const answer = await retryWhileLocked(options, async (again) => {
        const found = await group.add({ ...claim, again });
        return found.outcome === 'locked' ? null : found;
      });
      return answer ?? { outcome: 'locked' };
    },
    close: () => group.close(),
  };
}

/** Completed work is worth waiting for; after this time, the run's lease and its message recover it. */
export const OUTAGE_TIMEOUT_MILLISECONDS = 60_000;

export interface GroupCompletionsDependencies {
  readonly runs: RunStore;
  readonly logger: Logger;
  readonly shutdownDeadline: AbortSignal;
}

export interface GroupCompletions {
  /** Resolves to true when the end was stored, to false when another attempt owns the run. */
  add(completion: RunCompletion): Promise<boolean>;
  close(): Promise<void>;
}

interface PendingCompletion {
  readonly completion: RunCompletion;
  /** An earlier try may have been committed. */
  readonly again: boolean;
}

/** Creates the batch that stores the ends of many runs in few statements. */
export function groupCompletions(dependencies: GroupCompletionsDependencies): GroupCompletions {
  const retryOptions = {
    ...dependencies,
    timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS,
    activity: 'completing runs',
  };
  const group = new GroupCommit<PendingCompletion, boolean | null>({
    commit: (pending) =>
      retryDuringOutage(retryOptions, async (outcomeUnknown) => {
        const locked = new Set<string>();
        const stored = await dependencies.runs.complete(
          pending.map(({ completion }) => completion),
          {
            afterUnknownOutcome: outcomeUnknown || pending.some(({ again }) => again),
            onLocked: (runId) => locked.add(runId),
          },
        );
        return pending.map(({ completion: { runId } }) => (locked.has(runId) ? null : stored.has(runId)));
      }),
    ...BATCHES,
  });
  return {
    async add(completion) {
      const isStored = await retryWhileLocked(retryOptions, (again) => group.add({ completion, again }));
      if (isStored === null) throw new DatabaseConflictError('Another session locks the row of the run.');
      return isStored;
    },
    close: () => group.close(),
  };
}

const MAXIMUM_PENDING_CHARACTERS = 268_435_456;

/** An ended interactive run, and the reply queue to notify when it is stored or lost. */
export interface InteractiveRecord {
  readonly run: InteractiveRun;
  readonly replyTo: string | undefined;
}

interface PendingRecord extends InteractiveRecord {
  /** An earlier try may have been committed. */
  readonly again: boolean;
}

/** `superseded`: another attempt owns the run, so this attempt's outcome is not the outcome of the run. */
export type RecordOutcome = 'stored' | 'superseded' | 'lost';

export interface InteractiveRecordsDependencies {
  readonly runs: RunStore;
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** Fires when there is no time left to wait for the database. */
  readonly shutdownDeadline: AbortSignal;
  /** Called with the number of runs whose records were lost. */
  onLost(count: number): void;
}

/**
 * Records ended interactive runs, many in one transaction. Reads at a gateway wait for the records of its runs, so each
 * gateway is notified when they are stored, and also when they are lost. The callers already have their answers, so a record
 * that cannot be written within a minute is dropped, logged and counted.
 */
export class InteractiveRecords {
  readonly #dependencies: InteractiveRecordsDependencies;
  readonly #commit: GroupCommit<PendingRecord, RecordOutcome | null>;
  #characters = 0;

  constructor(dependencies: InteractiveRecordsDependencies) {
    this.#dependencies = dependencies;
    const { logger } = dependencies;
    this.#commit = new GroupCommit({
      commit: (records: PendingRecord[]) => this.#write(records),
      ...BATCHES,
      // The callers have their answers, so latency matters less than the number of statements.
      pauseAfterCommitMilliseconds: 10,
      maximumPending: 20_000,
      onError: (error, runs) =>
        logger.error({ error, runs }, 'records of interactive runs could not be written'),
    });
  }

  /** Resolves when the record is stored, superseded or lost. Never rejects. */
  async add(record: InteractiveRecord): Promise<RecordOutcome> {
    const characters = record.run.result?.length ?? 0;
    if (this.#characters + characters > MAXIMUM_PENDING_CHARACTERS) return this.#lose(record);
    this.#characters += characters;
    try {
      const { shutdownDeadline, logger } = this.#dependencies;
      const outcome = await retryWhileLocked(
        { timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS, shutdownDeadline },
        (again) => this.#commit.add({ ...record, again }),
      );
      if (outcome !== null) return outcome;
      const { id: runId } = record.run;
      logger.error({ runId }, 'the record of an interactive run could not be written: its row is locked');
      return this.#lose(record);
    } catch {
      return this.#lose(record);
    } finally {
      this.#characters -= characters;
    }
  }

  close(): Promise<void> {
    return this.#commit.close();
  }

  #lose(record: InteractiveRecord): RecordOutcome {
    this.#dependencies.onLost(1);
    // Otherwise reads of this user would wait for a record that is never stored.
    this.#announce([record]);
    return 'lost';
  }

  /** Resolves to null for each record whose row another session locks. */
  async #write(records: PendingRecord[]): Promise<(RecordOutcome | null)[]> {
    const { runs, logger, shutdownDeadline } = this.#dependencies;
    const activity = 'recording interactive runs';
    const again = records.some((record) => record.again);
    const locked = new Set<string>();
    const stored = await retryDuringOutage(
      { timeoutMilliseconds: OUTAGE_TIMEOUT_MILLISECONDS, logger, activity, shutdownDeadline },
      (outcomeUnknown) => {
        locked.clear();
        return runs.record(
          records.map(({ run }) => run),
          { afterUnknownOutcome: outcomeUnknown || again, onLocked: (id) => locked.add(id) },
        );
      },
    );
    this.#announce(records.filter(({ run }) => !locked.has(run.id)));
    return records.map(({ run: { id } }) =>
      locked.has(id) ? null : stored.has(id) ? 'stored' : 'superseded',
    );
  }

  /** Sends one message per gateway and commit; a gateway that misses it only waits a little longer. */
  #announce(records: readonly InteractiveRecord[]): void {
    const byGateway = new Map<string, string[]>();
    for (const { run, replyTo } of records) {
      if (replyTo === undefined) continue;
      const ids = byGateway.get(replyTo);
      if (ids) ids.push(run.id);
      else byGateway.set(replyTo, [run.id]);
    }
    for (const [replyTo, ids] of byGateway) {
      this.#dependencies.bus
        .publish({
          exchange: '',
          routingKey: replyTo,
          body: Buffer.from(JSON.stringify(ids)),
          persistent: false,
          mandatory: false,
          type: 'recorded',
        })
        .catch(() => undefined);
    }
  }
}

const PAUSE = { initialMilliseconds: 100, maximumMilliseconds: 2_000 };

export interface OutageRetryOptions {
  readonly timeoutMilliseconds: number;
  readonly logger: Logger;
  /** The operation, for the log. */
  readonly activity: string;
  /** Fires when there is no time left for retries. */
  readonly shutdownDeadline: AbortSignal;
}

/**
 * Retries a commit while the database is unavailable or fails, until its time limit. Rejects at once with errors that a
 * single row may have caused, and with all other errors. `commit` receives true when an earlier try may have been
 * committed although its answer was lost.
 */
export async function retryDuringOutage<T>(
  { timeoutMilliseconds, logger, activity, shutdownDeadline }: OutageRetryOptions,
  commit: (afterUnknownOutcome: boolean) => Promise<T>,
): Promise<T> {
  const giveUpAt = machineTime() + timeoutMilliseconds;
  let afterUnknownOutcome = false;
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await commit(afterUnknownOutcome);
    } catch (error) {
      const pause = backoff({ ...PAUSE, attempt });
      if (!canSucceedLater(error) || shutdownDeadline.aborted || machineTime() + pause > giveUpAt)
        throw error;
      if (isOutcomeUnknown(error)) afterUnknownOutcome = true;
      logger.warn({ error, attempt: attempt + 1 }, `database error while ${activity}; retrying`);
      // The signal ends the pause early; one last try follows.
      await sleep(pause, undefined, { signal: shutdownDeadline }).catch(() => undefined);
    }
  }
}

export interface LockRetryOptions {
  readonly timeoutMilliseconds: number;
  /** Fires when there is no time left for further tries. */
  readonly shutdownDeadline: AbortSignal;
}

/**
 * Commits an item, and again after pauses while another session locks its row: `commit` then resolves to null. The pauses use no
 * connection and keep no other item waiting. `commit` receives true when an earlier try may have been committed. Resolves to null
 * when the row is still locked at the end.
 */
async function retryWhileLocked<Result>(
  { timeoutMilliseconds, shutdownDeadline }: LockRetryOptions,
  commit: (again: boolean) => Promise<Result | null>,
): Promise<Result | null> {
  const giveUpAt = machineTime() + timeoutMilliseconds;
  for (let attempt = 0; ; attempt += 1) {
    const result = await commit(attempt > 0);
    const pause = backoff({ ...PAUSE, attempt });
    if (result !== null || shutdownDeadline.aborted || machineTime() + pause > giveUpAt) return result;
    await sleep(pause, undefined, { signal: shutdownDeadline }).catch(() => undefined);
  }
}

/** Returns whether the same commit can succeed later: after an outage, or after an operator has fixed the database. */
function canSucceedLater(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError) return true;
  return error instanceof DatabaseError && !isRowError(error);
}

function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && !(error instanceof DatabaseConflictError);
}
