import { machineTime } from '@millrace/service';
import { LRUCache } from 'lru-cache';
import type { AuthorCodeStatus } from './author-code-record';
import type { AuthorCodeStore } from './author-code-store';

/** How long a status is used without a further query. A revocation takes effect within this time. */
const VALID_MILLISECONDS = 3_000;
const MAXIMUM_ENTRIES = 20_000;

/** The status of a text; `unknown` when no flow contained it and no admin decided on it. */
type KnownStatus = AuthorCodeStatus | 'unknown';

export interface ApprovedCodeOptions {
  readonly store: Pick<AuthorCodeStore, 'statuses'>;
  /** `off` approves nothing, `approved` what an admin approved, `all` everything that no admin refused. */
  readonly mode: 'off' | 'approved' | 'all';
  readonly now?: () => number;
}

/**
 * Decides which Python texts can run, by their stored status. Statuses are cached for a few seconds, so that a decision of an admin takes effect
 * without a query for each vertex; `forget` makes it take effect at once. Rejects when the database is unavailable and
 * the status is not cached: nothing runs on an old approval.
 */
export class ApprovedCode {
  readonly #store: ApprovedCodeOptions['store'];
  readonly #rule: 'none' | 'approved' | 'unless refused';
  readonly #now: () => number;
  /** Limited by size, because `max` allocates memory for all entries at once. */
  readonly #cached = new LRUCache<string, { readonly status: KnownStatus; readonly readAt: number }>({
    maxSize: MAXIMUM_ENTRIES,
    sizeCalculation: () => 1,
  });
  readonly #lookups = new Map<string, Promise<KnownStatus>>();

  constructor({ store, mode, now = machineTime }: ApprovedCodeOptions) {
    this.#store = store;
    this.#now = now;
    if (mode === 'off') this.#rule = 'none';
    else this.#rule = mode === 'all' ? 'unless refused' : 'approved';
  }

  async isApproved(sha256: string): Promise<boolean> {
    return (await this.missing([sha256])).length === 0;
  }

  /** Resolves to those of the texts that cannot run, each once. Takes at most one query. */
  async missing(hashes: readonly string[]): Promise<readonly string[]> {
    const distinct = [...new Set(hashes)];
    if (this.#rule === 'none') return distinct;
    const cached = distinct.map((hash) => this.#valid(hash) ?? this.#lookups.get(hash));
    const lookups = this.#lookUp(distinct.filter((_hash, index) => cached[index] === undefined));
    const statuses = await Promise.all(distinct.map((hash, index) => cached[index] ?? lookups.get(hash)));
    return distinct.filter((_hash, index) => !this.#allows(statuses[index]));
  }

  /** Drops the status of a text on which an admin decided. */
  forget(sha256: string): void {
    this.#cached.delete(sha256);
    this.#lookups.delete(sha256);
  }

  #valid(hash: string): KnownStatus | undefined {
    const cached = this.#cached.get(hash);
    if (cached === undefined) return undefined;
    const age = this.#now() - cached.readAt;
    return age >= 0 && age < VALID_MILLISECONDS ? cached.status : undefined;
  }

  #allows(status: KnownStatus | undefined): boolean {
    if (this.#rule === 'approved') return status === 'approved';
    return status !== undefined && status !== 'refused';
  }

  /** Starts one query for these texts; returns the status of each. */
  #lookUp(hashes: readonly string[]): ReadonlyMap<string, Promise<KnownStatus>> {
    const lookups = new Map<string, Promise<KnownStatus>>();
    if (hashes.length === 0) return lookups;
    const readAt = this.#now();
    const found = this.#store.statuses(hashes);
    for (const hash of hashes) {
      const lookup: Promise<KnownStatus> = found.then(
        (statuses) => {
          const status = statuses.get(hash) ?? 'unknown';
          if (this.#ends(hash, lookup)) this.#cached.set(hash, { status, readAt });
          return status;
        },
        (error: unknown) => {
          this.#ends(hash, lookup);
          throw error;
        },
      );
      this.#lookups.set(hash, lookup);
      lookups.set(hash, lookup);
    }
    return lookups;
  }

  /** Returns false when the status was dropped after the query began. */
  #ends(hash: string, lookup: Promise<KnownStatus>): boolean {
    if (this.#lookups.get(hash) !== lookup) return false;
    return this.#lookups.delete(hash);
  }
}
