import { LongTexts } from '@millrace/messages';
import type { RunEnd, RunFailure } from '@millrace/messages';
import { combineObservers, execute } from '@millrace/engine';
import type { RunObserver, RunEnvironment } from '@millrace/engine';
import { CANNOT_WAIT_FOR_HUMAN, ComponentError, RunError, RunSuspension } from '@millrace/flow';
import type { Plan, PythonVertices, SubFlows } from '@millrace/flow';
import { shareLongTexts } from '@millrace/runs';
import type { AttemptDependencies, DispatchOrder, AttemptOrder } from './attempt-order';
import type { AttemptOutcome, Suspension } from './attempt-outcome';
import type { IsolatedAttempts } from './isolation/isolated-attempts';
import type { ResultCache } from './result-cache/result-cache';
import { abortReasonOf } from './running-attempts';
import { AttemptPython } from './python/attempt-python';
import { causedByOutage, lackedPython, toRunFailure } from './run-failure';
import { RunMessageLog } from '../records/run-messages';
import { RunRecorder } from './vertex-records/run-recorder';
import { RecordedEffects } from './recorded-effects';
import { StoredCheckpoint } from './stored-checkpoint';
import { AttemptResources, RunSubFlows } from './resources/attempt-resources';

/** The ways to execute an attempt. */
export interface AttemptRunners {
  readonly attempts: AttemptDependencies;
  readonly results: ResultCache;
  readonly isolation?: IsolatedAttempts | undefined;
}

/**
 * Executes an attempt, in this process or in a separate one. If its cache policy allows, it returns the outcome of an
 * earlier run instead. Never rejects.
 */
export function dispatchAttempt(
  { attempts, results, isolation }: AttemptRunners,
  order: DispatchOrder,
): Promise<AttemptOutcome> {
  if (order.isolated && isolation) return isolation.run(order, attempts.logger);
  if (order.cache === undefined || order.request.stream) return runAttempt(attempts, order);
  return results.outcome(order, order.cache, (footprint) => runAttempt(attempts, { ...order, footprint }));
}

/** Executes one attempt to its end, and records what it did; never rejects. */
export async function runAttempt(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
): Promise<AttemptOutcome> {
  const { recording, clock, logger } = dependencies;
  const { recordSettings: settings = null, request } = order;
  const { keepsValues } = request;
  const recorder = new RunRecorder(recording, { ...order, startedAt: clock.now(), settings, keepsValues });
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
  const log = new RunMessageLog(history, order.userId, order.flowId, dependencies.onSharedHistory);
  const python = dependencies.python ? new AttemptPython(dependencies.python, order) : null;
  let plan: Plan | null = null;
  let checkpoint: StoredCheckpoint | undefined;
  let hasReadVariable = false;
  const onVariable = (): void => void (hasReadVariable = true);
  try {
    plan = await order.plan();
    if (!plan) throw new RunError('flow_refused', 'The flow has been deleted.');
    if (python !== null) await python.refuseUnapproved(plan);
    if (plan.asking !== null || (plan.calledFlows.length > 0 && order.durable))
      checkpoint = await openCheckpoint(dependencies, order);
    const environment = attemptEnvironment(dependencies, order, log, {
      python: python ?? NO_PYTHON,
      observer,
      onVariable,
      checkpoint,
    });
    const response = await execute(plan, order.request, footprint?.environment(environment) ?? environment);
    const messages = log.rows;
    const texts = new LongTexts(messages.map(({ text }) => text));
    shareLongTexts(messages, texts);
    const body = texts.write(response) ?? Buffer.from(JSON.stringify(response));
    // The message broker would refuse more, so that the caller would never receive the answer.
    if (body.length > order.maximumAnswerBytes)
      throw new RunError(
        'output_too_large',
        `The response is larger than ${order.maximumAnswerBytes} bytes.`,
      );
    const { readsSession } = plan;
    return { status: 'succeeded', body, failure: null, messages, readsSession, byOutage: false };
  } catch (caught) {
    const suspended = suspensionBy(caught, checkpoint);
    if (suspended !== null && 'results' in suspended) {
      const body = Buffer.alloc(0);
      return {
        status: 'succeeded',
        body,
        failure: null,
        messages: log.rows,
        byOutage: false,
        suspension: suspended,
      };
    }
    const error = suspended ?? caught;
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
    python?.close();
  }
}

const NO_PYTHON: PythonVertices = {
  compute: () => Promise.reject(new ComponentError('This executor has no Python.')),
};

/** Reads what a run that can be suspended kept. Throws for a run without a row: its caller waits, and cannot for days. */
async function openCheckpoint(
  { runs }: AttemptDependencies,
  { runId, attempt, durable }: AttemptOrder,
): Promise<StoredCheckpoint> {
  if (!durable) throw new RunError('human_input_unsupported', CANNOT_WAIT_FOR_HUMAN);
  const isFirst = attempt === 1;
  return StoredCheckpoint.of(
    isFirst ? { results: null, decisions: new Map() } : await runs.resumption(runId),
  );
}

/** Returns what the run asks and keeps; an error when it cannot be kept, null for another error. */
function suspensionBy(error: unknown, checkpoint: StoredCheckpoint | undefined): Suspension | Error | null {
  if (!(error instanceof RunSuspension) || checkpoint === undefined) return null;
  try {
    const innerVersions = checkpoint.keptFlows.map(({ id: flowId, version }) => ({ flowId, version }));
    return { results: checkpoint.text(), requests: error.requests, innerVersions };
  } catch (tooLarge) {
    return toError(tooLarge);
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

interface AttemptParts {
  readonly python: PythonVertices;
  readonly observer: RunObserver | undefined;
  /** Called before a stored variable is read. */
  readonly onVariable: () => void;
  /** Absent for a run that cannot be suspended. */
  readonly checkpoint: StoredCheckpoint | undefined;
}

/** Creates the environment of one attempt. Its sub-flows share all of it except their messages. */
function attemptEnvironment(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
  log: RunMessageLog,
  { python, observer, onVariable, checkpoint }: AttemptParts,
): RunEnvironment {
  const { userId, flowId } = order;
  let begunEffects: RecordedEffects | undefined;
  const effects = () =>
    (begunEffects ??= new RecordedEffects({
      ...order,
      steps: order.recordSettings?.steps,
      store: dependencies.resources.effects,
      logger: dependencies.logger,
    }));
  const resources = (of: string, signal: AbortSignal, inner: SubFlows): AttemptResources =>
    new AttemptResources(dependencies.resources, { userId, flowId: of, signal }, { flows: inner, python });
  const flows = new RunSubFlows({
    flows: dependencies.flows,
    plans: dependencies.plans,
    userId,
    globalVariables: order.request.globalVariables,
    checkpoint,
    // Its events are not streamed: its messages are stored, and only its result is returned.
    partEnvironment: ({ flowId: of, name: part, moment, signal, flows: inner, checkpoint: ofPart }) => ({
      ...environment,
      part,
      moment,
      signal,
      messages: log.ofPart(of),
      effects: order.durable ? effects().ofPart(part) : undefined,
      checkpoint: ofPart,
      resources: resources(of, signal, inner),
      emit: () => undefined,
      watch: undefined,
    }),
  });
  const credentials = new Set<string>();
  // Lists every member, because each run creates one and spreading objects of this size is slow.
  const environment: RunEnvironment = {
    runId: order.runId,
    attempt: order.attempt,
    userId,
    deadline: order.deadline,
    messageClock: () => dependencies.clock.now(),
    limits: dependencies.limits,
    fetch: dependencies.fetch,
    environmentVariable: dependencies.environmentVariable,
    frozenResults: dependencies.frozenResults,
    budget: { remaining: dependencies.limits.maximumVertices },
    foundSecrets: new Set(),
    credentials,
    variable: async (name) => {
      onVariable();
      const found = await dependencies.variables.find(userId, name);
      if (found?.isCredential) credentials.add(found.value);
      return found?.value;
    },
    onMissingVariable: dependencies.variables.hasOutside ? refuseMissing : undefined,
    fieldVariables: () => dependencies.variables.defaultFields.of(userId),
    onSideFailure: (error) =>
      dependencies.logger.warn(
        { error, runId: order.runId, flowId },
        'a non-critical side task of a run failed',
      ),
    signal: order.signal,
    messages: log,
    get effects() {
      return order.durable ? effects() : undefined;
    },
    checkpoint,
    resources: resources(flowId, order.signal, flows),
    spending: { reserve: (call) => dependencies.budgets.reserve(order, call) },
    langflow: dependencies.resources.langflow,
    emit: (event) => order.emit(event),
    observer,
    watch: order.watch ?? undefined,
  };
  return environment;
}

/**
 * Returns whether every attempt of a run that read no stored variable fails as this one did: a vertex failed whose values
 * come from the request alone, and from components that always give the same for the same.
 */
function mustFailAgain(plan: Plan, error: unknown): boolean {
  if (!(error instanceof RunError) || error.code !== 'component_failed' || !error.permanent) return false;
  const failed = plan.vertices.find(({ id }) => id === error.vertex?.id);
  if (failed === undefined) return false;
  const pending = [failed];
  const seen = new Set(pending);
  for (const { component, python, incoming } of pending) {
    if (component?.deterministic !== true || python !== null) return false;
    for (const { source } of incoming) {
      const vertex = plan.vertices[source];
      if (vertex === undefined || seen.has(vertex)) continue;
      seen.add(vertex);
      pending.push(vertex);
    }
  }
  return true;
}

/** Where secrets come from outside, a name without a value is a mistake there, which a component would report as its own. */
function refuseMissing(name: string): void {
  const places = 'neither the user, nor the store of secrets, nor the environment has it';
  throw new RunError('component_failed', `The variable ${name} does not exist: ${places}.`);
}
