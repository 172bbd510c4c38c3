import type { RunStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';

const INTERVAL_MILLISECONDS = 3_600_000;
const MAXIMUM_NAMED = 20;

export interface UnreadableRowLogDependencies {
  readonly runs: Pick<RunStore, 'unreadableRows'>;
  readonly logger: Logger;
}

/** Names rows that the database cannot read as they were stored, at the start of the process and once an hour. */
export class UnreadableRowLog {
  readonly #dependencies: UnreadableRowLogDependencies;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(dependencies: UnreadableRowLogDependencies) {
    this.#dependencies = dependencies;
  }

  start(): void {
    this.#look();
    this.#timer = setInterval(() => this.#look(), INTERVAL_MILLISECONDS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  #look(): void {
    const { runs, logger } = this.#dependencies;
    this.#looking = runs.unreadableRows().then(
      (rows) => {
        if (rows.length === 0) return;
        logger.warn(
          { rows: rows.slice(0, MAXIMUM_NAMED), count: rows.length },
          'rows cannot be read as they were stored: they have characters without a text, or settings of a wrong type',
        );
      },
      (error: unknown) => logger.warn({ error }, 'rows that cannot be read could not be counted'),
    );
  }
}
