import type { RunEnd, RunFailure } from '@millrace/messages';
import { combineObservers, execute } from '@millrace/engine';
import type { RunObserver } from '@millrace/engine';
import { RunError } from '@millrace/flow';
import type { Plan } from '@millrace/flow';
import { abortReasonOf } from './running-attempts';
import { answerBytes } from './answer-bytes';
import { attemptEnvironment } from './attempt-environment';
import type { AttemptDependencies, AttemptOrder } from './attempt-order';
import type { AttemptOutcome } from './attempt-outcome';
import { AttemptPython } from './python/attempt-python';
import { causedByOutage, lackedPython, toRunFailure } from './run-failure';
import { mustFailAgain } from './must-fail-again';
import { RunMessageLog } from './run-message-log';
import { RunRecorder } from './vertex-records/run-recorder';

/** Executes one attempt to its end, and records what it did; never rejects. */
export async function runAttempt(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
): Promise<AttemptOutcome> {
  const { recording, clock, logger } = dependencies;
  const { recordSettings = null } = order;
  const recorder = new RunRecorder(recording, { ...order, startedAt: clock.now(), settings: recordSettings });
  order.onRecording?.(recorder);
  const outcome = await execution(dependencies, order, combineObservers(order.observer, recorder));
  try {
    return { ...outcome, record: recorder.end(outcome.status) };
  } catch (error) {
    logger.error({ error, runId: order.runId }, 'could not record what an attempt did');
    return outcome;
  }
}

async function execution(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
  observer: RunObserver | undefined,
): Promise<AttemptOutcome> {
  const { footprint } = order;
  const history = footprint?.history(dependencies.history) ?? dependencies.history;
  const log = new RunMessageLog(history, order.userId, order.flowId);
  const python = new AttemptPython(dependencies.python ?? null, order);
  let plan: Plan | null = null;
  let hasReadVariable = false;
  const onVariable = (): void => void (hasReadVariable = true);
  try {
    plan = await order.plan();
    if (!plan) throw new RunError('flow_refused', 'The flow has been deleted.');
    await python.refuseUnapproved(plan);
    const environment = attemptEnvironment(dependencies, order, log, { python, observer, onVariable });
    const response = await execute(plan, order.request, footprint?.environment(environment) ?? environment);
    const messages = log.rows;
    const texts = messages.map(({ text }) => text);
    const body = answerBytes(response, { texts, maximumBytes: order.maximumAnswerBytes });
    return { status: 'succeeded', body, failure: null, messages, byOutage: false };
  } catch (error) {
    const { status, failure } = describeFailure(error, order);
    const byOutage = status === 'failed' && (causedByOutage(error) || lackedPython(error));
    const ending = {
      status,
      body: Buffer.from(JSON.stringify(failure)),
      failure,
      messages: log.rows,
      byOutage,
      // A variable can be created or changed until the next attempt.
      ...(plan && !hasReadVariable && mustFailAgain(plan, error) ? { isPermanent: true as const } : {}),
    };
    return failure.code === 'internal' ? { ...ending, error: toError(error) } : ending;
  } finally {
    python.close();
  }
}

function describeFailure(error: unknown, order: AttemptOrder): { status: RunEnd; failure: RunFailure } {
  const failure = toRunFailure(error);
  if (failure.code === 'deadline_exceeded') return { status: 'timed_out', failure };
  const isCancelled = failure.code === 'cancelled' || abortReasonOf(order.signal) === 'cancelled';
  return { status: isCancelled ? 'cancelled' : 'failed', failure };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
