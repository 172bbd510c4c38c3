import { findUnreadableRows } from '../find-unreadable-rows';
import type { UnreadableRow } from '../find-unreadable-rows';
import type { Database, Transactional } from '@millrace/database';
import { retryOnDeadlock } from '../retry-on-deadlock';
import { acceptRuns } from './accept-runs';
import type { Acceptance } from './accept-runs';
import { releaseBacklog, countBacklog } from './backlog/release-backlog';
import type { BacklogRelease, ReleaseLimits } from './backlog/release-backlog';
import { beginRedelivered } from './attempts/begin-redelivered';
import type { RedeliveredStart } from './attempts/begin-redelivered';
import type { Claim, ClaimRequest } from './attempts/claim';
import { countWaiting } from './backlog/count-waiting';
import type { WaitingOf } from './backlog/count-waiting';
import { countBacklogs, readBacklogCount, storeLanes } from './backlog/count-backlogs';
import type { BacklogCount, CountOptions, LaneState, PoolBacklog } from './backlog/count-backlogs';
import { claimRuns } from './attempts/claim-runs';
import { deleteConfirmed, takeDeadLetters } from './attempts/dead-letters';
import type { DeadRun } from './attempts/dead-letters';
import { completeRuns, recordRuns } from './attempts/end-runs';
import { applyBulk, countBulk } from './changes/bulk-runs';
import type { BulkBatch, BulkCount, BulkOptions, BulkOrder, BulkRequest } from './changes/bulk-runs';
import { findEnded } from './search/find-ended';
import type { EndedRun } from './search/find-ended';
import { findRun, findRunSummary, findStatus, listRuns } from './search/find-runs';
import type { RunList } from './search/find-runs';
import type { RunFilter, RunPage } from './search/run-filter';
import { deleteRunRecord, deleteRunRecords } from './pruning/delete-run-records';
import type { RunDeletionFilter } from './pruning/delete-run-records';
import { extendLeases, releaseRuns } from './attempts/extend-leases';
import type { Heartbeat } from './attempts/extend-leases';
import { pruneRecords } from './pruning/prune-records';
import type { Pruned, PruneLimits } from './pruning/prune-records';
import { replayChanged, replayRuns } from './changes/replay-runs';
import type { ReplayOptions } from './changes/replay-runs';
import { cancelRun, requestCancel } from './changes/request-cancel';
import type { RequestedRunChanges } from './changes/requested-run-changes';
import { TextTemplates } from '../text-templates/text-templates';
import { RequestSeal } from '../encryption/request-seal';
import { RunBodies } from '../objects/run-bodies';
import { markQueued } from './attempts/mark-queued';
import { storableText } from '@millrace/python-text';
import { retryRun } from './attempts/retry-runs';
import { appendRunLogs } from './attempts/run-logs';
import type { FailedRun } from './attempts/failed-run-log';
import type { FailedAttempt } from './attempts/retry-runs';
import type {
  EndingOptions,
  RunAttempt,
  InteractiveRun,
  ReleasedRun,
  RunCompletion,
} from './attempts/run-completion';
import type { NewRun, RunRecord, RunStatus } from '../run-record/run-record';
import type { RunStoreDependencies, RunStoreParts } from './run-store-parts';
import {
  decideRequests,
  expireRequests,
  readHumanRequests,
  readOpenRequests,
} from './suspension/decide-requests';
import type { StoredRequest } from '../human-requests/stored-request';
import type { OpenRequests, OpenRequestsQuery } from './suspension/decide-requests';
import { forgetSuspensions, readResumption, suspendRun } from './suspension/suspend-run';
import type { RunResumption, SuspendedAttempt } from './suspension/suspend-run';
import { renewRunStatistics } from './search/run-statistics';
import { addUsage } from '../usage/usage-store';
import type { UsageCount } from '../usage/usage-count';
import { countUnrecorded, sumUnrecorded } from './unrecorded-runs';
import type { UnrecordedFilter } from './unrecorded-runs';
import { sweepRuns } from './backlog/sweep-runs';
import type { SweepOptions } from './backlog/sweep-runs';
import type { ConfirmedMessage, SweptRun } from './swept-run';

/**
 * Stores the authoritative state of each run, regardless of repeated or lost messages. Only the database's clock
 * counts. A claim increments the attempt, every later write includes it, and exactly one end is ever stored. Methods
 * that take several runs need one statement for all of them.
 */
export class RunStore {
  readonly #database: Database;
  readonly #parts: RunStoreParts;

  constructor({ database, reads = database, isolatesLastAttempts = false, ...given }: RunStoreDependencies) {
    this.#database = database;
    const seal = given.seal ?? new RequestSeal({ encryption: null });
    const templates = new TextTemplates({ database, logger: given.logger });
    const bodies = new RunBodies({ database, objects: given.objects ?? null });
    this.#parts = { database, reads, seal, templates, bodies, isolatesLastAttempts };
  }

  /** Returns the changes of runs that users request, whose statements join a transaction. */
  within(connection: Transactional): RequestedRunChanges {
    return {
      cancel: (userId, runId) => cancelRun(connection, userId, runId),
      decide: (decisions) => decideRequests({ ...this.#parts, database: connection }, decisions),
      replay: (userId, runIds, options) => replayRuns(connection, userId, runIds, options),
      replayChanged: (userId, runId, { request, ...options }) =>
        replayChanged(connection, userId, runId, {
          ...options,
          request: {
            text: this.#parts.seal.write(request),
            sessionId: storableText(request.sessionId),
          },
        }),
      applyBulk: (order, page, options) => applyBulk(connection, order, page, options),
      deleteRecord: (userId, runId) => deleteRunRecord(connection, userId, runId),
      deleteRecords: (userId, runs) => deleteRunRecords(connection, userId, runs),
    };
  }

  /**
   * Makes runs durable, in status accepted. Resolves, for each run, to the id that represents it: its own, or that of
   * the earlier run of the same flow with the same dedupe key. Accepting an id again changes nothing.
   */
  async accept(runs: readonly NewRun[]): Promise<Map<string, string>> {
    const accepted = await acceptRuns(this.#parts, runs, null);
    return new Map([...accepted].map(([id, { canonicalRunId }]) => [id, canonicalRunId]));
  }

  /**
   * As `accept`, but background runs join the backlog when their user has `publishedPerUser` runs in the pool that are
   * published and not begun, or when their flow limits them. They must not be published before `releaseBacklog` returns
   * them.
   */
  async admit(
    runs: readonly NewRun[],
    { publishedPerUser }: Pick<ReleaseLimits, 'publishedPerUser'>,
  ): Promise<Map<string, Acceptance>> {
    return acceptRuns(this.#parts, runs, publishedPerUser);
  }

  /**
   * Releases backlog runs: for each user up to `publishedPerUser`, for a flow with a limit as many as it allows; the
   * oldest first, users in turn. Releases none while another process does so.
   */
  async releaseBacklog(limits: ReleaseLimits): Promise<BacklogRelease> {
    return releaseBacklog(this.#database, limits);
  }

  /** Adds numbers of runs without a row, by flow, to those of this hour. Flows that do not exist are left out. */
  async countUnrecorded(counts: ReadonlyMap<string, number>): Promise<void> {
    await countUnrecorded(this.#database, counts);
  }

  /** Adds what runs used to the counts of this hour; each count has another key. */
  async countUsage(counts: readonly UsageCount[]): Promise<void> {
    await addUsage(this.#database, counts);
  }

  /**
   * Appends lines of `runLogText` to the logs of runs, by run id; of each log the newest 65,536 characters are kept.
   * Resolves to the runs that have a row; the lines of others are not stored.
   */
  async appendLogs(logs: ReadonlyMap<string, string>): Promise<ReadonlySet<string>> {
    return appendRunLogs(this.#database, logs);
  }

  /** Returns how many runs left no row. */
  async unrecorded(filter: UnrecordedFilter): Promise<number> {
    return sumUnrecorded(this.#parts.reads, filter);
  }

  /** Counts a user's backlog runs, at most up to `upTo`. */
  async countBacklog(userId: string, upTo: number): Promise<number> {
    return countBacklog(this.#database, userId, upTo);
  }

  /** Counts the background runs of a user, project or flow that no executor has begun; beyond `upTo` not exactly. */
  async countWaiting(of: WaitingOf, upTo: number): Promise<number> {
    return countWaiting(this.#database, of, upTo);
  }

  /** Reads the newest count of the background runs of all pools; null before the first one. */
  async backlogCount(): Promise<BacklogCount | null> {
    return readBacklogCount(this.#database);
  }

  /** Counts the background runs of all pools; null when a newer count exists or another process counts. */
  async countBacklogs(options: CountOptions): Promise<readonly PoolBacklog[] | null> {
    return countBacklogs(this.#database, options);
  }

  /** Stores the state of the lanes beside the newest count. */
  async storeLanes(lanes: readonly LaneState[]): Promise<void> {
    await storeLanes(this.#database, lanes);
  }

  /** See markQueued. */
  async markQueued(messages: readonly ConfirmedMessage[]): Promise<void> {
    await markQueued(this.#database, messages);
  }

  /** Claims each run for its worker, if possible. Of equal ids in one call the last one counts. */
  async claim(claims: readonly ClaimRequest[]): Promise<Map<string, Claim>> {
    return claimRuns(this.#parts, claims);
  }

  /**
   * Renews the leases of a worker's runs. The worker must abort runs that are not in `held`: they belong to another
   * worker or have ended. An attempt that was taken over does not count if its worker is still alive and calls this.
   */
  async heartbeat(worker: string, runs: readonly RunAttempt[]): Promise<Heartbeat> {
    return extendLeases(this.#database, worker, runs);
  }

  /**
   * Stores the ends of claimed runs, with their messages, in one transaction. Resolves to the runs whose end was
   * stored; the others belong to another attempt or have ended.
   */
  async complete(ends: readonly RunCompletion[], options: EndingOptions = {}): Promise<Set<string>> {
    return completeRuns(this.#parts, ends, options);
  }

  /** As `complete`, for runs without a row or with one from `beginRedelivered`. */
  async record(runs: readonly InteractiveRun[], options: EndingOptions = {}): Promise<Set<string>> {
    return recordRuns(this.#parts, runs, options);
  }

  /**
   * Stores an interactive run before an executor retries it: its earlier attempt may have crashed an executor. Without
   * an attempt left the run is marked dead.
   */
  async beginRedelivered(run: NewRun & { readonly worker: string }): Promise<RedeliveredStart> {
    return beginRedelivered(this.#parts, run);
  }

  /** Releases runs after a drain or a lost connection: they are queued again, and the attempt does not count. */
  async release(runs: readonly ReleasedRun[]): Promise<void> {
    await releaseRuns(this.#database, runs);
  }

  /**
   * Schedules another attempt after a pause; the failure is readable in the meantime. False when the run belongs to
   * another attempt, is to be cancelled or has ended.
   */
  async retry(attempt: FailedAttempt): Promise<boolean> {
    return retryRun(this.#database, attempt);
  }

  /**
   * Suspends a run until a person has answered one of its requests; the attempt does not count. False when the run belongs to
   * another attempt or is to be cancelled.
   */
  async suspend(attempt: SuspendedAttempt): Promise<boolean> {
    return suspendRun(this.#parts, attempt);
  }

  /** Returns what the next attempt of a run begins with. Throws when the encryption key is not configured. */
  async resumption(runId: string): Promise<RunResumption> {
    return readResumption(this.#parts, runId);
  }

  /** Deletes what an ended run would have needed to go on. */
  async forgetSuspensions(runId: string): Promise<void> {
    await forgetSuspensions(this.#parts, runId);
  }

  /** Returns the requests of a run for human input, the oldest first; none for a run of another user than `userId`. */
  async humanRequests(userId: string | null, runId: string): Promise<readonly StoredRequest[]> {
    return readHumanRequests(this.#parts, userId, runId);
  }

  /** Reads a page of the requests of suspended runs that wait for a user, the oldest first; at most 8 MiB of texts. */
  async openHumanRequests(userId: string, query: OpenRequestsQuery): Promise<OpenRequests> {
    return readOpenRequests(this.#parts, userId, query);
  }

  /** Takes the fallback of up to `limit` requests whose time is over. Ends the runs of those without one, and resolves to them. */
  async expireHumanRequests(limit: number): Promise<readonly FailedRun[]> {
    return expireRequests(this.#parts, limit);
  }

  /** Cancels a waiting run; the worker of a running one learns of it with its next heartbeat. Null: no such run. */
  async requestCancel(userId: string, runId: string): Promise<RunRecord | null> {
    return requestCancel(this.#parts, userId, runId);
  }

  /**
   * Finds at most `limit` runs whose message may be missing: accepted runs without a confirmed message, runs whose
   * lease expired (queued again by this call), and queued runs whose queue the caller must inspect. A run is returned
   * again at growing intervals. Calls `onEnded` for each run that this call ends, `onLost` for each
   * attempt whose lease expired. Empty while another process sweeps.
   */
  async sweep({ limit, onEnded, onLost }: SweepOptions): Promise<SweptRun[]> {
    const { runs, ended, lost } = await retryOnDeadlock(() => sweepRuns(this.#parts, limit));
    for (const run of ended) onEnded?.(run);
    for (const attempt of lost) onLost?.(attempt);
    return runs;
  }

  /** See findUnreadableRows. */
  readonly unreadableRows = (): Promise<readonly UnreadableRow[]> => findUnreadableRows(this.#database);

  /** See renewRunStatistics. */
  readonly renewStatistics = (): Promise<boolean> => renewRunStatistics(this.#database);

  /**
   * Replays runs that are dead, failed or timed out: each as a new run that refers to the old one, of the flow's current
   * version or of the `same` one. Resolves to the new id by the old one; a run that was replayed before keeps its first
   * replay. Runs of other users, with another status or of a version that no longer exists are omitted. `requestId`
   * and `traceparent` identify the request that starts the replay, `pythonPool` the pool of flows that need Python and name no pool, if
   * they have one.
   */
  async replay(
    userId: string,
    runIds: readonly string[],
    {
      requestId = null,
      pythonPool = null,
      traceparent = null,
      version = 'current',
      keyId = null,
    }: Partial<ReplayOptions> = {},
  ): Promise<Map<string, string>> {
    const options = { requestId, pythonPool, traceparent, version, keyId };
    return (await retryOnDeadlock(() => replayRuns(this.#database, userId, runIds, options))).ids;
  }

  /** Counts the runs that an action would reach, at most up to `upTo`. */
  async countBulk(request: BulkRequest, upTo: number): Promise<BulkCount> {
    return countBulk(this.#database, request, upTo);
  }

  /**
   * Cancels or replays up to `limit` of the selected runs, the oldest first. Repeating a call reaches no run twice.
   * Options as in `replay`.
   */
  async applyBulk(
    order: BulkOrder,
    page: RunPage,
    { requestId = null, pythonPool = null, traceparent = null, keyId = null }: Partial<BulkOptions> = {},
  ): Promise<BulkBatch> {
    const options = { requestId, pythonPool, traceparent, keyId };
    return retryOnDeadlock(() => applyBulk(this.#database, order, page, options));
  }

  /**
   * Deletes runs that ended before the retention time, with their dedupe keys, and flow versions that are neither among
   * the newest ones of their flow nor referred to by a run. Sessions keep their messages. Deletes nothing while another
   * process does so.
   */
  async prune(limits: PruneLimits): Promise<Pruned> {
    return pruneRecords(this.#database, limits);
  }

  /** Deletes the record of an ended run; false when the user has no such run or it has not ended. */
  async deleteRecord(userId: string, runId: string): Promise<boolean> {
    return deleteRunRecord(this.#database, userId, runId);
  }

  /** Deletes the records of ended runs; resolves to their number. */
  async deleteRecords(userId: string, runs: RunDeletionFilter): Promise<number> {
    return deleteRunRecords(this.#database, userId, runs);
  }

  /**
   * Takes at most `limit` dead runs whose dead letter is not published yet. Each becomes due again after 30 seconds,
   * unless it is passed to `confirmDeadLetters`.
   */
  async takeDeadLetters(limit: number): Promise<DeadRun[]> {
    return takeDeadLetters(this.#database, limit);
  }

  /** Removes dead letters that the broker has confirmed. */
  async confirmDeadLetters(runIds: readonly string[]): Promise<void> {
    await deleteConfirmed(this.#database, runIds);
  }

  /** Rejects with ObjectStoreUnavailableError when the request or result cannot be read. */
  async find(userId: string, id: string): Promise<RunRecord | null> {
    return findRun(this.#parts, userId, id);
  }

  /** As `find`, without request and result. */
  readonly findSummary = (userId: string, id: string): Promise<RunRecord | null> =>
    findRunSummary(this.#parts, userId, id);

  /** Returns a result that `claim` or `ended` found, which can be in the object store. Rejects as `find`. */
  readonly wholeResult = (id: string, found: string | null): Promise<string | null> =>
    this.#parts.bodies.whole(id, 'result', found);

  /** Resolves to the status of a run, for those who wait for its end; null when the user has no such run. */
  async status(userId: string, id: string): Promise<RunStatus | null> {
    return findStatus(this.#parts, userId, id);
  }

  /** Returns those of these runs that have ended, of any user. */
  async ended(ids: readonly string[]): Promise<EndedRun[]> {
    return findEnded(this.#database, ids);
  }

  /**
   * Lists the selected runs, newest first, without results and requests. `before` is the id of a run of the same owner:
   * lists only runs that were accepted before it.
   */
  async list(filter: RunFilter, page: RunPage & { readonly before?: string | undefined }): Promise<RunList> {
    return listRuns(this.#parts, filter, page);
  }
}
