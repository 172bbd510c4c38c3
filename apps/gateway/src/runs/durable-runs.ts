import type { IncomingMessage } from 'node:http';
import type { Lane, RunFailure, RunEnd } from '@millrace/contracts';
import type { RunRecord, RunStore } from '@millrace/runs';
import { RequestError } from '../http/request-error';
import type { RunDispatcher, RunOrder } from './run-dispatcher';
import type { WaitingRoom } from './waiting-room';
import type { RunEnding, WaitingRun } from './waiting-run';

const KEY = /^[\x21-\x7e]{1,255}$/;

export interface DurableRunsOptions {
  readonly runs: RunStore;
  readonly room: WaitingRoom;
  readonly dispatcher: RunDispatcher;
  readonly deadlineMilliseconds: number;
}

/**
 * Runs that are written down before they start, because the caller gave an Idempotency-Key or the flow asks for it.
 * The same key again attaches to the same run: as long as it goes on its answer is waited for, later it is read.
 */
export class DurableRuns {
  readonly #options: DurableRunsOptions;

  constructor(options: DurableRunsOptions) {
    this.#options = options;
  }

  /** The key under which the same request of the same caller is the same run; null when the caller gave none. */
  keyOf({ headers }: IncomingMessage, { userId }: Pick<RunOrder, 'userId'>): string | null {
    const key = headers['idempotency-key'];
    if (key === undefined) return null;
    if (typeof key === 'string' && KEY.test(key)) return `${userId} ${key}`;
    const text = 'An Idempotency-Key holds 1 to 255 visible ASCII characters.';
    throw new RequestError('idempotency_key_invalid', text);
  }

  /** Starts the run, or attaches to the one that has the key. Throws idempotency_conflict when that is another one. */
  async start(order: RunOrder, key: string | null): Promise<WaitingRun> {
    const started = await this.#options.dispatcher.startDurable(order, key);
    return 'heldBy' in started ? this.#attach(order, started.heldBy) : started;
  }

  /** Starts the run for nobody in particular; resolves to its id, or to that of the one that has the key. */
  async startInBackground(order: RunOrder, key: string | null): Promise<string> {
    const runId = await this.#options.dispatcher.startInBackground(order, key);
    if (key !== null) await this.#sameRequest(order, runId);
    return runId;
  }

  /** Starts a run whose events are kept for whoever follows it; else as `startInBackground`. */
  async startFollowed(order: RunOrder, lane: Lane, key: string | null): Promise<string> {
    const runId = await this.#options.dispatcher.startFollowed(order, lane, key);
    if (key !== null) await this.#sameRequest(order, runId);
    return runId;
  }

  async #attach(order: RunOrder, runId: string): Promise<WaitingRun> {
    const { room, deadlineMilliseconds } = this.#options;
    const record = await this.#sameRequest(order, runId);
    const here = room.find(runId);
    if (here) return here;
    const run = room.admit({
      runId,
      userId: order.userId,
      flowId: record.flowId,
      sessionId: record.sessionId,
      requestId: null,
      pool: record.pool,
      deadline: Date.now() + deadlineMilliseconds,
      durable: true,
      onEvents: null,
    });
    const ending = storedEnding(record);
    if (ending) room.end(runId, ending);
    return run;
  }

  async #sameRequest({ userId, request }: RunOrder, runId: string): Promise<RunRecord> {
    const record = await this.#options.runs.find(userId, runId);
    // The row holds the key, so it is there; somebody else's key is another key.
    if (!record) throw new RequestError('not_found', 'Run not found');
    if (record.request === null || JSON.stringify(record.request) === JSON.stringify(request)) return record;
    throw new RequestError('idempotency_conflict', 'This Idempotency-Key was used with another request.');
  }
}

/** The end a record tells of, as its caller would have got it; null while the run goes on. */
export function storedEnding({ status, resultText, failure }: RunRecord): RunEnding | null {
  if (status === 'succeeded') return { kind: 'succeeded', body: Buffer.from(resultText ?? 'null') };
  if (status === 'accepted' || status === 'queued' || status === 'running') return null;
  return { kind: 'failed', status: status as RunEnd, failure: failure ?? unexplained(status) };
}

function unexplained(status: string): RunFailure {
  const code = { cancelled: 'cancelled', timed_out: 'deadline_exceeded', dead: 'attempts_exhausted' }[status];
  return { code: code ?? 'internal', message: `The run ended as ${status}.`, vertex: null, problems: [] };
}
