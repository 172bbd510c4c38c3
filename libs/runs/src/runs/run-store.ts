import { uuidArray } from '@millrace/database';
import type { Database } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { acceptRuns } from './accept-runs';
import type { Acceptance } from './accept-runs';
import { advanceRuns, countWaiting } from './advance-runs';
import type { Advance, AdvanceLimits } from './advance-runs';
import { beginRedelivered } from './begin-redelivered';
import type { Redelivered } from './begin-redelivered';
import type { Claim, ClaimRequest } from './claim';
import { claimRuns } from './claim-runs';
import { deleteAnnounced, takeDead } from './dead-letters';
import type { DeadRun } from './dead-letters';
import { completeRuns, recordRuns } from './end-runs';
import { findRun, listRuns } from './find-runs';
import type { RunFilter } from './find-runs';
import { forgetRun, forgetRuns } from './forget-runs';
import type { ForgottenRuns } from './forget-runs';
import { extendLeases, releaseRuns } from './hold-runs';
import type { Heartbeat } from './hold-runs';
import { pruneRecords } from './prune-records';
import type { Pruned, PruneLimits } from './prune-records';
import { replayRuns } from './replay-runs';
import { requestCancel } from './request-cancel';
import { RequestSeal } from './request-seal';
import { retryRun } from './retry-runs';
import type { FailedAttempt } from './retry-runs';
import type { EndingOptions, HeldRun, InteractiveRun, ReleasedRun, RunCompletion } from './run-completion';
import type { NewRun, RunRecord } from './run-record';
import type { RunStoreParts } from './run-store-parts';
import { sweepRuns } from './sweep-runs';
import type { SweepOptions } from './sweep-runs';
import type { SweptRun } from './swept-run';

export interface RunStoreDependencies {
  readonly database: Database;
  /** Seals requests that may hold secrets; nothing is sealed unless given. */
  readonly seal?: RequestSeal;
}

/**
 * The runs: the truth about each, whatever messages come twice or never. Only the database's clock decides. A claim
 * raises the attempt, every later write of it names it, and exactly one end is ever stored. Methods that take several
 * runs cost one statement for all of them.
 */
export class RunStore {
  readonly #database: Database;
  readonly #parts: RunStoreParts;

  constructor({ database, seal }: RunStoreDependencies) {
    this.#database = database;
    this.#parts = { database, seal: seal ?? new RequestSeal({ encryption: null }) };
  }

  /**
   * Makes runs durable, in status accepted. Resolves to the id that stands for each: its own, or that of the earlier
   * run of the same flow with the same dedupe key. Accepting an id again changes nothing.
   */
  async accept(runs: readonly NewRun[]): Promise<Map<string, string>> {
    const accepted = await acceptRuns(this.#parts, runs, null);
    return new Map([...accepted].map(([id, { holder }]) => [id, holder]));
  }

  /**
   * As `accept`, but background runs of a user who has `ahead` of them in the pool that nobody has begun, or whose flow
   * limits them, wait for their turn: they are not to be published before `advance` names them.
   */
  async admit(
    runs: readonly NewRun[],
    { ahead }: Pick<AdvanceLimits, 'ahead'>,
  ): Promise<Map<string, Acceptance>> {
    return acceptRuns(this.#parts, runs, ahead);
  }

  /**
   * Lets runs go that wait for their turn: of each user as many as are missing to `ahead`, of a flow with a limit as
   * many as that lets through; the oldest first, users in turns. Nobody while another process does so.
   */
  async advance(limits: AdvanceLimits): Promise<Advance> {
    return advanceRuns(this.#database, limits);
  }

  /** How many runs of a user's wait for their turn; counts to `upTo` at most. */
  async countWaiting(userId: string, upTo: number): Promise<number> {
    return countWaiting(this.#database, userId, upTo);
  }

  /** The broker has confirmed their messages. Runs that are past it, or in somebody's hands, stay as they are. */
  async markQueued(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#database.query({
      name: 'runs-mark-queued',
      text: `UPDATE runs SET status = 'queued', queued_at = now() WHERE id = ANY(ARRAY(
        SELECT id FROM runs WHERE id = ANY($1::uuid[]) AND status = 'accepted' FOR UPDATE SKIP LOCKED))`,
      values: [uuidArray(ids)],
    });
  }

  /** Gives each run to its worker, if it is to be had. Equal ids in one call are one claim, the last one. */
  async claim(claims: readonly ClaimRequest[]): Promise<Map<string, Claim>> {
    return claimRuns(this.#parts, claims);
  }

  /**
   * Renews the leases of a worker's runs. What is not in `held` is somebody else's, or over: abort it. An attempt
   * that was taken from a worker which can still say so does not count.
   */
  async heartbeat(worker: string, runs: readonly HeldRun[]): Promise<Heartbeat> {
    return extendLeases(this.#database, worker, runs);
  }

  /**
   * Stores ends of claimed runs, with their messages, in one transaction. Resolves to the runs whose end was stored;
   * the others belong to another attempt or are over.
   */
  async complete(ends: readonly RunCompletion[], options: EndingOptions = {}): Promise<Set<string>> {
    return completeRuns(this.#database, ends, options);
  }

  /** Stores ended runs that had no row, or one of `beginRedelivered`; otherwise as `complete`. */
  async record(runs: readonly InteractiveRun[], options: EndingOptions = {}): Promise<Set<string>> {
    return recordRuns(this.#parts, runs, options);
  }

  /**
   * Writes an interactive run down before an executor tries it again: its earlier attempt may have killed another.
   * Past its attempts the run is dead.
   */
  async beginRedelivered(run: NewRun & { readonly worker: string }): Promise<Redelivered> {
    return beginRedelivered(this.#parts, run);
  }

  /** Gives runs back that a drain or a lost connection ended: queued again, the attempt does not count. */
  async release(runs: readonly ReleasedRun[]): Promise<void> {
    await releaseRuns(this.#database, runs);
  }

  /**
   * Lets a failed attempt be followed by another one after a pause; its failure can be read meanwhile. False when the
   * run is another attempt's, is to be cancelled or is over.
   */
  async retry(attempt: FailedAttempt): Promise<boolean> {
    return retryRun(this.#database, attempt);
  }

  /** Ends a run that waits; of one that runs, its worker hears with the next heartbeat. Null: no such run. */
  async requestCancel(userId: string, runId: string): Promise<RunRecord | null> {
    return requestCancel(this.#parts, userId, runId);
  }

  /**
   * Finds at most `limit` runs that may have no message: accepted ones that nobody confirmed, those whose lease ran
   * out (queued again by this call), and queued ones whose queue the caller must look at. Each comes back later and
   * later. `onEnded` hears of each run that this call ends. Empty while another process sweeps.
   */
  async sweep({ limit, onEnded }: SweepOptions): Promise<SweptRun[]> {
    const { runs, ended } = await retryOnDeadlock(() => sweepRuns(this.#database, limit));
    for (const run of ended) onEnded?.(run);
    return runs;
  }

  /**
   * Gives runs that are dead, failed or timed out another life: a new run each, of the flow as it is now, which names
   * the old one. Resolves to the new id by the old one; a run that was replayed before keeps its first replay. Runs that
   * are not the user's or did not end so are left out. `requestId` is that of the request which asks for it.
   */
  async replay(
    userId: string,
    runIds: readonly string[],
    requestId: string | null = null,
  ): Promise<Map<string, string>> {
    return replayRuns(this.#database, userId, runIds, requestId);
  }

  /**
   * Deletes runs that ended longer ago than they are kept, with their dedupe keys, and versions of flows that are neither
   * current nor needed by a run that goes on. Sessions keep their messages. Nothing while another process does so.
   */
  async prune(limits: PruneLimits): Promise<Pruned> {
    return pruneRecords(this.#database, limits);
  }

  /** Deletes the record of an ended run; false when the user has no such run or it goes on. */
  async forget(userId: string, runId: string): Promise<boolean> {
    return forgetRun(this.#database, userId, runId);
  }

  /** Deletes the records of ended runs; resolves to how many. */
  async forgetAll(userId: string, runs: ForgottenRuns): Promise<number> {
    return forgetRuns(this.#database, userId, runs);
  }

  /**
   * Takes at most `limit` dead runs that the broker has not been told of; each comes up again after half a minute, unless
   * it was `announced`.
   */
  async takeDead(limit: number): Promise<DeadRun[]> {
    return takeDead(this.#database, limit);
  }

  /** The broker has been told of these dead runs. */
  async announced(runIds: readonly string[]): Promise<void> {
    await deleteAnnounced(this.#database, runIds);
  }

  async find(userId: string, id: string): Promise<RunRecord | null> {
    return findRun(this.#parts, userId, id);
  }

  /** The user's runs, newest first, without results and requests; `before` is the id of the last one seen. */
  async list(userId: string, filter: RunFilter): Promise<RunRecord[]> {
    return listRuns(this.#parts, userId, filter);
  }
}
