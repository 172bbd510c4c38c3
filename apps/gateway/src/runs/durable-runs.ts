import type { IncomingMessage } from 'node:http';
import type { Lane, RunFailure, RunEnd } from '@millrace/contracts';
import { HttpError } from '@millrace/http';
import type { RunRecord, RunStore } from '@millrace/runs';
import { machineTime } from '@millrace/service';
import type { RunDispatcher, RunOrder } from './run-dispatcher';
import type { PendingRuns } from './pending-runs';
import type { RunEnding, PendingRun } from './pending-run';

const KEY = /^[\x21-\x7e]{1,255}$/;

export interface DurableRunsOptions {
  readonly runs: RunStore;
  readonly pendingRuns: PendingRuns;
  readonly dispatcher: RunDispatcher;
  readonly deadlineMilliseconds: number;
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

  /** Returns the key that identifies repeated requests of one caller as one run; null when the caller gave none. */
  keyOf({ headers }: IncomingMessage, { userId }: Pick<RunOrder, 'userId'>): string | null {
    const key = headers['idempotency-key'];
    if (key === undefined) return null;
    if (typeof key === 'string' && KEY.test(key)) return `${userId} ${key}`;
    const text = 'An Idempotency-Key must have 1 to 255 visible ASCII characters.';
    throw new HttpError('idempotency_key_invalid', text);
  }

  /** Starts a run, or attaches to the run that has the key. Throws idempotency_conflict if its request differs. */
  async start(order: RunOrder, key: string | null): Promise<PendingRun> {
    const started = await this.#options.dispatcher.startDurable(order, key);
    return 'canonicalRunId' in started ? this.#attach(order, started.canonicalRunId) : started;
  }

  /** Starts a run without a waiting caller. Resolves to its id, or to the id of the run that has the key. */
  async startInBackground(order: RunOrder, key: string | null): Promise<string> {
    const runId = await this.#options.dispatcher.startInBackground(order, key);
    if (key !== null) await this.#sameRequest(order, runId);
    return runId;
  }

  /** Like `startInBackground`, but stores the run's events so that callers can follow it. */
  async startFollowed(order: RunOrder, lane: Lane, key: string | null): Promise<string> {
    const runId = await this.#options.dispatcher.startFollowed(order, lane, key);
    if (key !== null) await this.#sameRequest(order, runId);
    return runId;
  }

  async #attach(order: RunOrder, runId: string): Promise<PendingRun> {
    const { pendingRuns, deadlineMilliseconds } = this.#options;
    const record = await this.#sameRequest(order, runId);
    const pendingRun = pendingRuns.find(runId);
    if (pendingRun) return pendingRun;
    const run = pendingRuns.register({
      runId,
      userId: order.userId,
      flowId: record.flowId,
      sessionId: record.sessionId,
      requestId: null,
      pool: record.pool,
      deadline: machineTime() + deadlineMilliseconds,
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
    if (!record) throw new HttpError('not_found', 'Run not found');
    if (record.request === null || JSON.stringify(record.request) === JSON.stringify(request)) return record;
    throw new HttpError('idempotency_conflict', 'This Idempotency-Key was used with another request.');
  }
}

/**
 * Returns the ending that a record describes, as its caller would have received it; null while the run is in progress.
 */
export function storedEnding({ status, resultText, failure }: RunRecord): RunEnding | null {
  if (status === 'succeeded') return { kind: 'succeeded', body: Buffer.from(resultText ?? 'null') };
  if (status === 'accepted' || status === 'queued' || status === 'running') return null;
  return { kind: 'failed', status: status as RunEnd, failure: failure ?? defaultFailure(status) };
}

function defaultFailure(status: string): RunFailure {
  const code = { cancelled: 'cancelled', timed_out: 'deadline_exceeded', dead: 'attempts_exhausted' }[status];
  return { code: code ?? 'internal', message: `The run ended as ${status}.`, vertex: null, problems: [] };
}
