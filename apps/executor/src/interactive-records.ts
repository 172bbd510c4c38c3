import { GroupCommit } from '@millrace/runs';
import type { InteractiveRun, RunStore } from '@millrace/runs';
import { backoff } from '@millrace/service';
import type { Logger } from '@millrace/service';
import type { MessageBus } from '@millrace/messaging';

const ATTEMPTS = 4;

/** What one ended interactive run leaves behind, and whom to tell once it is readable. */
export interface InteractiveRecord {
  readonly run: InteractiveRun;
  readonly replyTo: string | undefined;
}

export interface InteractiveRecordsDependencies {
  readonly runs: RunStore;
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** Counts runs whose record was given up. */
  onLost(count: number): void;
}

/**
 * Writes ended interactive runs down, many in one transaction, and tells each gateway which of its runs can be read
 * now. The caller has its answer by then, so a record that cannot be written after a few tries is given up loudly.
 */
export class InteractiveRecords {
  readonly #dependencies: InteractiveRecordsDependencies;
  readonly #commit: GroupCommit<InteractiveRecord, boolean>;

  constructor(dependencies: InteractiveRecordsDependencies) {
    this.#dependencies = dependencies;
    this.#commit = new GroupCommit({
      commit: (records: InteractiveRecord[]) => this.#write(records),
      maximumWaitMilliseconds: 2,
      maximumItems: 200,
      maximumPending: 20_000,
    });
  }

  /** Resolves when the record is in the database, or given up. */
  async add(record: InteractiveRecord): Promise<void> {
    await this.#commit.add(record);
  }

  close(): Promise<void> {
    return this.#commit.close();
  }

  async #write(records: InteractiveRecord[]): Promise<boolean[]> {
    const { runs, logger, onLost } = this.#dependencies;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await runs.record(records.map(({ run }) => run));
        this.#announce(records);
        return records.map(() => true);
      } catch (error) {
        if (attempt === ATTEMPTS) {
          logger.error({ error, runs: records.length }, 'records of interactive runs could not be written');
          onLost(records.length);
          return records.map(() => false);
        }
        const pause = backoff({
          initialMilliseconds: 100,
          maximumMilliseconds: 2_000,
          attempt,
          random: Math.random,
        });
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
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
