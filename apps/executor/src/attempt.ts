import type { RunEnd, RunFailure } from '@millrace/contracts';
import { execute } from '@millrace/engine';
import type { RunEnvironment, RunLimits } from '@millrace/engine';
import { RunError } from '@millrace/flow';
import type { Plan, RunEvent, RunRequest } from '@millrace/flow';
import type { SessionHistory, VariableStore } from '@millrace/runs';
import type { Logger } from '@millrace/service';
import type { MessageRow } from '@millrace/runs';
import { RunMessageLog } from './run-message-log';
import type { AbortReason } from './running-attempts';

export interface AttemptDependencies {
  readonly history: SessionHistory;
  readonly variables: VariableStore;
  readonly limits: RunLimits;
  readonly fetch: typeof fetch;
  readonly environmentVariable: (name: string) => string | undefined;
  readonly logger: Logger;
}

export interface AttemptOrder {
  readonly runId: string;
  readonly attempt: number;
  readonly userId: string;
  readonly flowId: string;
  readonly plan: Plan | null;
  readonly request: RunRequest;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  emit(event: RunEvent): void | Promise<void>;
}

/** How an attempt ended; `body` is the RunResponse or the RunFailure as JSON text, written once. */
export interface AttemptOutcome {
  readonly status: RunEnd;
  readonly body: string;
  readonly failure: RunFailure | null;
  readonly messages: readonly MessageRow[];
}

/** Executes one attempt to its end; never rejects. */
export async function runAttempt(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
): Promise<AttemptOutcome> {
  const log = new RunMessageLog(dependencies.history, order.userId, order.flowId);
  try {
    if (!order.plan) throw new RunError('flow_refused', 'The flow has been deleted.');
    const response = await execute(order.plan, order.request, environment(dependencies, order, log));
    return { status: 'succeeded', body: JSON.stringify(response), failure: null, messages: log.rows };
  } catch (error) {
    const { status, failure } = describe(error, order, dependencies.logger);
    return { status, body: JSON.stringify(failure), failure, messages: log.rows };
  }
}

function environment(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
  log: RunMessageLog,
): RunEnvironment {
  return {
    runId: order.runId,
    attempt: order.attempt,
    userId: order.userId,
    signal: order.signal,
    deadline: order.deadline,
    limits: dependencies.limits,
    messages: log,
    fetch: dependencies.fetch,
    environmentVariable: dependencies.environmentVariable,
    variable: (name) => dependencies.variables.value(order.userId, name),
    emit: (event) => order.emit(event),
  };
}

function describe(
  error: unknown,
  order: AttemptOrder,
  logger: Logger,
): { status: RunEnd; failure: RunFailure } {
  const failure = toFailure(error);
  if (failure.code === 'internal') {
    logger.error({ error, runId: order.runId, flowId: order.flowId }, 'a run failed for a reason of our own');
  }
  const reason = order.signal.aborted ? (order.signal.reason as AbortReason) : null;
  if (failure.code === 'deadline_exceeded' || reason === 'deadline') return { status: 'timed_out', failure };
  if (failure.code === 'cancelled' || reason === 'cancelled') return { status: 'cancelled', failure };
  return { status: 'failed', failure };
}

function toFailure(error: unknown): RunFailure {
  if (error instanceof RunError) {
    return { code: error.code, message: error.message, vertex: error.vertex, problems: error.problems };
  }
  return { code: 'internal', message: 'The run failed for an internal reason.', vertex: null, problems: [] };
}
