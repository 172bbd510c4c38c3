import { GroupCommit, isRowError } from '@millrace/runs';
import type { InteractiveRun, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { MessageBus } from '@millrace/messaging';
import { retryDuringOutage, retryWhileLocked } from './retry-commit';

const TIMEOUT_MILLISECONDS = 60_000;
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
      maximumWaitMilliseconds: 2,
      // The callers have their answers, so latency matters less than the number of statements.
      pauseAfterCommitMilliseconds: 10,
      maximumItems: 200,
      maximumPending: 20_000,
      splitOn: isRowError,
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
        { timeoutMilliseconds: TIMEOUT_MILLISECONDS, shutdownDeadline },
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
      { timeoutMilliseconds: TIMEOUT_MILLISECONDS, logger, activity, shutdownDeadline },
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
        .catch((error: unknown) =>
          this.#dependencies.logger.debug({ error, replyTo }, 'could not notify a gateway of stored records'),
        );
    }
  }
}
