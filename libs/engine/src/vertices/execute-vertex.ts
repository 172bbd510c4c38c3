import { ComponentError, isJsonWithin, RunError } from '@millrace/flow';
import type { PlanVertex, RunMoment, RunScope, ComponentOutputs } from '@millrace/flow';
import { Data, DataFrame, isHandle, Message } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import type { ExecutionScope } from './execution-scope';
import type { OngoingRun } from '../run/ongoing-run';
import { redactSecrets } from '../run/redact-secrets';
import type { ObservedVertex, RunObserver } from '../run/run-observer';
import type { RunRecords, VertexRecord } from '../run/vertex-record';
import { executeFrozen } from './frozen-vertex';
import { VertexContext } from './vertex-context';
import { isTool, vertexTools } from './vertex-tools';
import { vertexValues } from './vertex-values';
import type { VertexValues } from '../run/given-values';

/** Executes a vertex as `executeVertex` does, and notifies an observer. */
export function executeObserved(
  run: OngoingRun,
  vertex: PlanVertex,
  executionScope: ExecutionScope,
  observer: RunObserver,
): VertexRecord | Promise<VertexRecord> {
  const observed = observer.vertex({
    vertex,
    execution: executionScope.execution(vertex),
    flowId: run.plan.flowId,
    part: run.environment.part ?? '',
    run: run.observed,
  });
  const succeed = (record: VertexRecord): VertexRecord => {
    observed.succeeded(record);
    return record;
  };
  const fail = (error: unknown): never => {
    observed.failed(error instanceof RunError ? error : redactSecrets(run, error));
    throw error;
  };
  try {
    const scope = new ObservedScope(executionScope, observed);
    const record = observed.within(() => executeVertex(run, vertex, scope));
    return record instanceof Promise ? record.then(succeed, fail) : succeed(record);
  } catch (error) {
    return fail(error);
  }
}

/** The scope of a vertex, with its observed execution. */
class ObservedScope implements ExecutionScope {
  readonly observed: ObservedVertex;
  readonly #inner: ExecutionScope;

  constructor(inner: ExecutionScope, observed: ObservedVertex) {
    this.#inner = inner;
    this.observed = observed;
  }

  get scope(): RunScope {
    return this.#inner.scope;
  }

  get records(): RunRecords {
    return this.#inner.records;
  }

  execution(vertex: PlanVertex): number {
    return this.#inner.execution(vertex);
  }

  place(vertex: PlanVertex): string {
    return this.#inner.place(vertex);
  }

  moment(vertex: PlanVertex): RunMoment {
    return this.#inner.moment(vertex);
  }

  repeat(...repetition: Parameters<ExecutionScope['repeat']>): Promise<readonly PythonValue[]> {
    return this.#inner.repeat(...repetition);
  }

  countToolCall(): void {
    this.#inner.countToolCall();
  }
}

/** Runs a vertex's component with its values in this run. Returns a promise only when it must wait. */
export function executeVertex(
  run: OngoingRun,
  vertex: PlanVertex,
  executionScope: ExecutionScope,
): VertexRecord | Promise<VertexRecord> {
  const values = vertexValues(run, vertex, executionScope);
  return values instanceof Promise
    ? values.then((ready) => withValues(run, vertex, ready, executionScope))
    : withValues(run, vertex, values, executionScope);
}

function withValues(
  run: OngoingRun,
  vertex: PlanVertex,
  values: VertexValues,
  executionScope: ExecutionScope,
): VertexRecord | Promise<VertexRecord> {
  executionScope.observed?.given?.(values);
  return vertex.frozen
    ? executeFrozen(run, vertex, { values, executionScope }, () => call(run, vertex, values, executionScope))
    : call(run, vertex, values, executionScope);
}

function call(
  run: OngoingRun,
  vertex: PlanVertex,
  values: VertexValues,
  executionScope: ExecutionScope,
): VertexRecord | Promise<VertexRecord> {
  const { component } = vertex;
  if (component === null) throw new RunError('internal', `"${vertex.displayName}" has no component.`);
  const context = new VertexContext(run, vertex, values, executionScope);
  const outputs = isTool(vertex)
    ? vertexTools(component, vertex, values, context, () => executionScope.countToolCall())
    : component.run(values.inputs, context);
  return outputs instanceof Promise
    ? outputs.then((ready) => recordOf(run, vertex, ready, context))
    : recordOf(run, vertex, outputs as ComponentOutputs, context);
}

function recordOf(
  run: OngoingRun,
  vertex: PlanVertex,
  outputs: ComponentOutputs,
  context: VertexContext,
): VertexRecord {
  const wanted = new Map<string, PythonValue>();
  let status = context.shown;
  const { shownByOutput: byOutput } = context;
  for (const name of vertex.wanted) {
    const value = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    if (value === undefined) continue;
    checkSize(value);
    const completed = completedValue(run, vertex, value);
    wanted.set(name, completed);
    // A status that is one of the outputs is stored as completed; without a status, a message becomes the status.
    if (byOutput?.get(name) === value) byOutput.set(name, completed);
    if (status === value || (status === null && completed instanceof Message)) status = completed;
  }
  return {
    outputs: wanted,
    stopped: stoppedOf(vertex, outputs, context),
    status,
    shown: { all: context.shown, byOutput },
    sentName: context.sentName,
    logs: context.logs,
    reused: false,
  };
}

/** Many items can share a large value, which each of them has in every text and answer. */
const maximumValueBytes = 256 * 1024 * 1024;

function checkSize(value: PythonValue): void {
  const isData =
    value instanceof Data || value instanceof DataFrame || (Array.isArray(value) && !value.some(isHandle));
  if (isData && !isJsonWithin(value, maximumValueBytes))
    throw new ComponentError(`The output is larger than ${maximumValueBytes} bytes.`);
}

/** A branch whose choice a person does not have, such as one that a tweak took away, does not run. */
function stoppedOf(
  vertex: PlanVertex,
  outputs: ComponentOutputs,
  { stopped }: VertexContext,
): ReadonlySet<string> {
  if (vertex.component?.asksHuman !== true) return stopped;
  return new Set([...stopped, ...vertex.wanted.filter((name) => !Object.hasOwn(outputs, name))]);
}

/** Returns a message with its flow and timestamp, and with a stream that several readers can read. */
function completedValue(run: OngoingRun, vertex: PlanVertex, value: PythonValue): PythonValue {
  if (!(value instanceof Message)) return value;
  const { flowId, timestamp, stream } = value.fields;
  if (flowId !== null && timestamp !== '' && stream === null) return value;
  return value.with({
    flowId: flowId ?? run.plan.flowId,
    timestamp: timestamp || run.timestamp(),
    stream: stream === null ? null : run.share(stream, vertex),
  });
}
