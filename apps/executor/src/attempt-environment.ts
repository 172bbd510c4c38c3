import type { RunEnvironment } from '@millrace/engine';
import type { SubFlows } from '@millrace/flow';
import type { AttemptDependencies, AttemptOrder } from './attempt';
import { KeptEffects } from './kept-effects';
import { AttemptResources } from './resources/attempt-resources';
import { RunSubFlows } from './resources/run-sub-flows';
import type { RunMessageLog } from './run-message-log';

/** What one attempt runs in. Flows that it runs as parts of itself have all of it in common but their messages. */
export function attemptEnvironment(
  dependencies: AttemptDependencies,
  order: AttemptOrder,
  log: RunMessageLog,
): RunEnvironment {
  const { runId, attempt, userId, flowId, deadline } = order;
  const { limits, fetch, environmentVariable, frozenResults } = dependencies;
  const effects = order.durable
    ? new KeptEffects({ ...order, store: dependencies.resources.effects, logger: dependencies.logger })
    : null;
  const shared = {
    ...{ runId, attempt, userId, deadline, limits, fetch, environmentVariable, frozenResults },
    budget: { remaining: limits.maximumVertices },
    variable: (name: string) => dependencies.variables.value(userId, name),
    onSideFailure: (error: unknown) =>
      dependencies.logger.warn({ error, runId, flowId }, 'something beside a run failed'),
  };
  const resources = (of: string, signal: AbortSignal, inner: SubFlows): AttemptResources =>
    new AttemptResources(dependencies.resources, { userId, flowId: of, signal }, inner);
  const flows = new RunSubFlows({
    ...dependencies,
    userId,
    globalVariables: order.request.globalVariables,
    // Nobody follows it: what it says is stored, and only what it gives is shown.
    partEnvironment: ({ flowId: of, name: part, signal, flows: inner }) => ({
      ...shared,
      part,
      signal,
      messages: log.ofPart(of),
      ...(effects && { effects: effects.ofPart(part) }),
      resources: resources(of, signal, inner),
      emit: () => undefined,
    }),
  });
  return {
    ...shared,
    signal: order.signal,
    messages: log,
    ...(effects && { effects }),
    resources: resources(flowId, order.signal, flows),
    emit: (event) => order.emit(event),
    ...(order.watch && { watch: order.watch }),
  };
}
