import type { Database, Queryable } from '@millrace/database';
import type { Logger } from '@millrace/service';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { appendEntries } from './append-entries';
import type { AuditActor, AuditEntry, AuditEvent, ChainLink } from './audit-entry';
import { AuditedChange } from './audited-change';
import { chainState, exportEntries, listEntries } from './list-entries';
import type { AuditExportFilter, AuditFilter, ChainState, NamedAuditEntry } from './list-entries';
import { pruneEntries } from './prune-entries';
import type { AuditPruneLimits } from './prune-entries';

export interface AuditLogOptions {
  readonly database: Database;
  /** Receives a line for each entry, with its place in the chain: evidence outside of the database. */
  readonly logger: Logger;
}

/** An event with its own actor, where one call records the events of several. */
export type ActedEvent = AuditEvent & { readonly actor: AuditActor };

/** Stores an entry as the last statement of a transaction. */
export type RecordEvent = (connection: Queryable, event: AuditEvent) => Promise<void>;

/** The last step of a store's transaction, which is rolled back when it rejects. */
export type TransactionEnd<Result> = (connection: Queryable, result: Result) => Promise<void>;

/** The append-only log of who changed what. Entries are chained by hashes in the order of their commits. */
export class AuditLog {
  readonly #database: Database;
  readonly #logger: Logger;

  constructor({ database, logger }: AuditLogOptions) {
    this.#database = database;
    this.#logger = logger;
  }

  /**
   * Runs a change and stores its noted events in the same transaction. Rolls back both when `work` rejects or an entry
   * cannot be stored. `work` is repeated when the database ended it because of concurrent statements, so that it must
   * change nothing but the database.
   */
  async change<T>(actor: AuditActor, work: (change: AuditedChange) => Promise<T>): Promise<T> {
    const done = await retryOnDeadlock(() =>
      this.#database.transaction(async (connection) => {
        const change = new AuditedChange(connection);
        const result = await work(change);
        const links = await appendEntries(
          connection,
          change.events.map((event) => ({ ...event, actor })),
        );
        return { result, change, links };
      }),
    );
    this.#announce(
      done.change.events.map((event) => ({ ...event, actor })),
      done.links,
    );
    done.change.committed();
    return done.result;
  }

  /** Stores events that have no change in the database, such as refused sign-ins. */
  async record(events: readonly ActedEvent[]): Promise<void> {
    if (events.length === 0) return;
    this.#announce(events, await appendEntries(this.#database, events));
  }

  /**
   * Records the change of a store that opens its own transaction. `work` passes `record` to the store as the end of that
   * transaction; of several calls, such as for a repeated transaction, the last one counts.
   */
  async recording<T>(actor: AuditActor, work: (record: RecordEvent) => Promise<T>): Promise<T> {
    let events: readonly ActedEvent[] = [];
    let links: readonly ChainLink[] = [];
    const result = await work(async (connection, event) => {
      events = [{ ...event, actor }];
      links = await appendEntries(connection, events);
    });
    this.#announce(events, links);
    return result;
  }

  /** Lists entries, newest first. */
  list(filter: AuditFilter): Promise<NamedAuditEntry[]> {
    return listEntries(this.#database, filter);
  }

  /** Yields the entries that exist now, oldest first, in pages. */
  export(filter: AuditExportFilter): AsyncGenerator<AuditEntry[]> {
    return exportEntries(this.#database, filter);
  }

  /** The end of the chain, and where it begins after the deletion of old entries. */
  chain(): Promise<ChainState> {
    return chainState(this.#database);
  }

  /**
   * Deletes the oldest entries and keeps the hash of the last one, so that the rest can be verified. Resolves to their
   * number. Deletes nothing while another process does so.
   */
  prune(limits: AuditPruneLimits): Promise<number> {
    return pruneEntries(this.#database, limits);
  }

  #announce(events: readonly ActedEvent[], links: readonly ChainLink[]): void {
    events.forEach(({ action, actor, objectId }, index) => {
      const { requestId, userId } = actor;
      const fields = {
        ...links[index],
        action,
        ...(requestId === null ? {} : { requestId }),
        ...(userId === null ? {} : { userId }),
        ...(objectId ? { objectId } : {}),
      };
      // A first start stores one for each example; later lines contain the chain of these.
      this.#logger[actor.kind === 'system' ? 'debug' : 'info'](fields, 'audit entry stored');
    });
  }
}
