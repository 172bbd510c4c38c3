import { GroupCommit, isRowError } from '@millrace/runs';
import type { InteractiveRun, RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { MessageBus } from '@millrace/messaging';
import { patientCommit } from './patient-commit';

const PATIENCE_MILLISECONDS = 60_000;
const MAXIMUM_PENDING_CHARACTERS = 268_435_456;

/** What one ended interactive run leaves behind, and whom to tell once it is readable. */
export interface InteractiveRecord {
  readonly run: InteractiveRun;
  readonly replyTo: string | undefined;
}

/** Superseded: another attempt owns the run, and this one's end is not its end. */
export type RecordOutcome = 'stored' | 'superseded' | 'lost';

export interface InteractiveRecordsDependencies {
  readonly runs: RunStore;
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** Fires when there is no time left to wait for the database. */
  readonly leaving: AbortSignal;
  /** Counts runs whose record was given up. */
  onLost(count: number): void;
}

/**
 * Writes ended interactive runs down, many in one transaction, and tells each gateway which of its runs can be read
 * now. The caller has its answer by then, so a record that cannot be written within a minute is given up loudly.
 */
export class InteractiveRecords {
  readonly #dependencies: InteractiveRecordsDependencies;
  readonly #commit: GroupCommit<InteractiveRecord, RecordOutcome>;
  #characters = 0;

  constructor(dependencies: InteractiveRecordsDependencies) {
    this.#dependencies = dependencies;
    const { logger } = dependencies;
    this.#commit = new GroupCommit({
      commit: (records: InteractiveRecord[]) => this.#write(records),
      maximumWaitMilliseconds: 2,
      // The callers have their answers: each statement spared is all gain.
      restMilliseconds: 10,
      maximumItems: 200,
      maximumPending: 20_000,
      splitOn: isRowError,
      onError: (error, runs) =>
        logger.error({ error, runs }, 'records of interactive runs could not be written'),
    });
  }

  /** Resolves when the record is in the database, or will never be. Never rejects. */
  async add(record: InteractiveRecord): Promise<RecordOutcome> {
    const characters = record.run.result?.length ?? 0;
    if (this.#characters + characters > MAXIMUM_PENDING_CHARACTERS) return this.#lose();
    this.#characters += characters;
    try {
      return await this.#commit.add(record);
    } catch {
      return this.#lose();
    } finally {
      this.#characters -= characters;
    }
  }

  close(): Promise<void> {
    return this.#commit.close();
  }

  #lose(): RecordOutcome {
    this.#dependencies.onLost(1);
    return 'lost';
  }

  async #write(records: InteractiveRecord[]): Promise<RecordOutcome[]> {
    const { runs, logger, leaving } = this.#dependencies;
    const what = 'recording interactive runs';
    const stored = await patientCommit(
      { patienceMilliseconds: PATIENCE_MILLISECONDS, logger, what, leaving },
      (afterUnknownOutcome) =>
        runs.record(
          records.map(({ run }) => run),
          { afterUnknownOutcome },
        ),
    );
    this.#announce(records);
    return records.map(({ run }) => (stored.has(run.id) ? 'stored' : 'superseded'));
  }

  /** One message per gateway and commit; a gateway that misses it waits a little longer, nothing else. */
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
          this.#dependencies.logger.debug({ error, replyTo }, 'a gateway was not told of records'),
        );
    }
  }
}
