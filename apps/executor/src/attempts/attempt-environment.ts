import type { RunEnvironment, RunObserver } from '@millrace/engine';
import type { PythonVertices, SubFlows } from '@millrace/flow';
import type { AttemptDependencies, AttemptOrder } from './attempt-order';
import { RecordedEffects } from './recorded-effects';
import { AttemptResources } from './resources/attempt-resources';
import { RunSubFlows } from './resources/run-sub-flows';
import type { RunMessageLog } from './run-message-log';

interface AttemptParts {
  readonly python: PythonVertices;
  readonly observer: RunObserver | undefined;
  /** Called before a stored variable is read. */
  readonly onVariable: () => void;
}

/** Creates the environment of one attempt. Its sub-flows share all of it except their messages. */
export function attemptEnvironment(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
  log: RunMessageLog,
  { python, observer, onVariable }: AttemptParts,
): RunEnvironment {
  const { userId, flowId } = order;
  const effects = order.durable
    ? new RecordedEffects({ ...order, store: dependencies.resources.effects, logger: dependencies.logger })
    : null;
  const resources = (of: string, signal: AbortSignal, inner: SubFlows): AttemptResources =>
    new AttemptResources(dependencies.resources, { userId, flowId: of, signal }, { flows: inner, python });
  const flows = new RunSubFlows({
    flows: dependencies.flows,
    plans: dependencies.plans,
    userId,
    globalVariables: order.request.globalVariables,
    // Its events are not streamed: its messages are stored, and only its result is returned.
    partEnvironment: ({ flowId: of, name: part, moment, signal, flows: inner }) => ({
      ...environment,
      part,
      moment,
      signal,
      messages: log.ofPart(of),
      ...(effects && { effects: effects.ofPart(part) }),
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
    fieldVariables: () => dependencies.variables.defaultFields.of(userId),
    onSideFailure: (error) =>
      dependencies.logger.warn(
        { error, runId: order.runId, flowId },
        'a non-critical side task of a run failed',
      ),
    signal: order.signal,
    messages: log,
    effects: effects ?? undefined,
    resources: resources(flowId, order.signal, flows),
    langflow: dependencies.resources.langflow,
    emit: (event) => order.emit(event),
    observer,
    watch: order.watch ?? undefined,
  };
  return environment;
}
