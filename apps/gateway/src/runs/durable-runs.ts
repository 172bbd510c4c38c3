import type { RunRecord, RunStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import { projectOf } from './held-runs';
import type { PendingRun } from './pending-run';
import type { PendingRuns } from './pending-runs';
import type { RunDispatcher } from './run-dispatcher';
import { RunError } from './run-error';
import type { RunOrder } from './run-order';
import type { DetachedMode } from './start-modes';
import { storedEnding } from './stored-ending';

export interface DurableRunsOptions {
  readonly runs: RunStore;
  readonly pendingRuns: PendingRuns;
  readonly dispatcher: RunDispatcher;
}

/**
 * Starts durable runs, which are stored before they start because the caller gave an Idempotency-Key or the flow
 * requires it. A request with a key that was used before attaches to the earlier run: it waits for the answer while the
 * run is in progress, and reads the stored answer later.
 */
export class DurableRuns {
  readonly #options: DurableRunsOptions;

  constructor(options: DurableRunsOptions) {
    this.#options = options;
  }

  /** Starts a run, or attaches to the run that has the key. Throws idempotency_conflict if its request differs. */
  async start(order: RunOrder, key: string | null): Promise<PendingRun> {
    const { runId, pendingRun } = await this.#options.dispatcher.start(order, 'durable', key);
    return pendingRun ?? this.#attach(order, runId);
  }

  /**
   * Starts a run without a waiting caller. Resolves to its id, or to the id of the run that has the key. Throws
   * idempotency_conflict if the request of that run differs.
   */
  async startDetached(order: RunOrder, mode: DetachedMode, key: string | null): Promise<string> {
    const { runId } = await this.#options.dispatcher.start(order, mode, key);
    if (key !== null) await this.#sameRequest(order, runId);
    return runId;
  }

  async #attach(order: RunOrder, runId: string): Promise<PendingRun> {
    const { pendingRuns, dispatcher } = this.#options;
    const record = await this.#sameRequest(order, runId);
    const pendingRun = pendingRuns.find(runId);
    if (pendingRun) return pendingRun;
    const run = pendingRuns.register({
      runId,
      userId: order.userId,
      project: projectOf(order.flow),
      flowId: record.flowId,
      sessionId: record.sessionId,
      requestId: null,
      pool: record.pool,
      needsPython: order.flow.needsPython,
      deadline: machineTime() + dispatcher.limitMilliseconds(order, 'interactive'),
      durable: true,
      onEvents: null,
    });
    const ending = storedEnding(record);
    if (ending) pendingRuns.end(runId, ending);
    return run;
  }

  async #sameRequest({ userId, request }: RunOrder, runId: string): Promise<RunRecord> {
    const record = await this.#options.runs.find(userId, runId);
    // The row contains the key, so it exists. Keys include the user id, so it belongs to this user.
    if (!record) throw new RunError('not_found', 'Run not found');
    if (record.request === null) return record;
    // Another key of the user can repeat the request. An earlier release stored it without the flag of streams.
    const stored = { ...record.request, keyId: undefined, keepsStreamFields: undefined };
    // A session of its own is another one in each request.
    const { sessionId } = request.isOwnSession ? stored : request;
    const given = { ...request, sessionId, keepsStreamFields: undefined };
    if (JSON.stringify(stored) === JSON.stringify(given)) return record;
    throw new RunError('idempotency_conflict', 'This Idempotency-Key was used with another request.');
  }
}
