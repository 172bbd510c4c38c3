import type { CacheUse, RunEnd, RunFailure } from '@millrace/contracts';
import { execute } from '@millrace/engine';
import type { FrozenResults, RunLimits, VertexWatch } from '@millrace/engine';
import { RunError } from '@millrace/flow';
import type { Plan, RunEvent, RunRequest } from '@millrace/flow';
import type { FlowStore, SessionHistory, VariableStore } from '@millrace/runs';
import type { Logger, SharedClock } from '@millrace/service';
import type { MessageRow } from '@millrace/runs';
import { attemptEnvironment } from './attempt-environment';
import type { PlanCache } from './plan-cache';
import { causedByOutage, toRunFailure } from './run-failure';
import type { ResourceProviders } from './resources/resource-providers';
import type { RunFootprint } from './result-cache/run-footprint';
import { RunMessageLog } from './run-message-log';
import type { AbortReason } from './running-attempts';

export interface AttemptDependencies {
  readonly flows: FlowStore;
  readonly plans: PlanCache;
  readonly history: SessionHistory;
  readonly variables: VariableStore;
  readonly limits: RunLimits;
  readonly fetch: typeof fetch;
  readonly resources: ResourceProviders;
  readonly environmentVariable: (name: string) => string | undefined;
  readonly frozenResults: FrozenResults;
  /** Gives messages their times: those of one session may be made on several machines. */
  readonly clock: SharedClock;
  readonly logger: Logger;
}

export interface AttemptOrder {
  readonly runId: string;
  readonly attempt: number;
  readonly userId: string;
  readonly flowId: string;
  /** Resolves to null when the flow version is no longer there. */
  plan(): Promise<Plan | null>;
  readonly request: RunRequest;
  /** True when the run has had its row since before its first attempt: what it does outside is kept there. */
  readonly durable: boolean;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** How large the answer may be, as JSON in UTF-8. */
  readonly maximumAnswerBytes: number;
  emit(event: RunEvent): void | Promise<void>;
  /** Who is told of each vertex; null for nobody. */
  readonly watch: VertexWatch | null;
  /** Where it is written down what the attempt looks at. */
  readonly footprint?: RunFootprint;
}

/** How an attempt ended; `body` is the RunResponse or the RunFailure as JSON text, written once. */
export interface AttemptOutcome {
  readonly status: RunEnd;
  readonly body: string;
  readonly failure: RunFailure | null;
  readonly messages: readonly MessageRow[];
  /** The database was away, which is no fault of the run's. */
  readonly byOutage: boolean;
  /** What is behind a failure that is none of the flow's. */
  readonly error?: Error;
  /** What came of the run's cache policy; absent when it had none, or none was looked for. */
  readonly cache?: CacheUse;
}

/** Executes one attempt to its end; never rejects. */
export async function runAttempt(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
): Promise<AttemptOutcome> {
  const { footprint } = order;
  const history = footprint?.history(dependencies.history) ?? dependencies.history;
  const log = new RunMessageLog(history, order.userId, order.flowId);
  try {
    const plan = await order.plan();
    if (!plan) throw new RunError('flow_refused', 'The flow has been deleted.');
    const environment = attemptEnvironment(dependencies, order, log);
    const response = await execute(plan, order.request, footprint?.environment(environment) ?? environment);
    const body = JSON.stringify(response);
    checkAnswerSize(body, order.maximumAnswerBytes);
    return { status: 'succeeded', body, failure: null, messages: log.rows, byOutage: false };
  } catch (error) {
    const { status, failure } = describe(error, order);
    const byOutage = status === 'failed' && causedByOutage(error);
    const ending = { status, body: JSON.stringify(failure), failure, messages: log.rows, byOutage };
    return failure.code === 'internal' ? { ...ending, error: toError(error) } : ending;
  }
}

/** What the message broker would refuse must not be the run's result: its caller would wait in vain. */
function checkAnswerSize(body: string, maximumBytes: number): void {
  // A character has three bytes at most: small answers, which most are, need not be counted.
  if (body.length * 3 > maximumBytes && Buffer.byteLength(body) > maximumBytes)
    throw new RunError('output_too_large', `The answer is larger than ${maximumBytes} bytes.`);
}

function describe(error: unknown, order: AttemptOrder): { status: RunEnd; failure: RunFailure } {
  const failure = toRunFailure(error);
  const reason = order.signal.aborted ? (order.signal.reason as AbortReason) : null;
  if (failure.code === 'deadline_exceeded' || reason === 'deadline') return { status: 'timed_out', failure };
  if (failure.code === 'cancelled' || reason === 'cancelled') return { status: 'cancelled', failure };
  return { status: 'failed', failure };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
