import {
  RunMoment,
  RunSuspension,
  refusalError,
  refusals,
  refuseFileTweaks,
  refuseTweakFaults,
  runOverrides,
  RESPOND_TYPE,
  RunError,
  isJsonWithin,
} from '@millrace/flow';
import type {
  Plan,
  PlanVertex,
  ResultData,
  RunInput,
  RunOverrides,
  RunRequest,
  RunResponse,
  SubFlowOutput,
  OutputSelection,
} from '@millrace/flow';
import { GraphRun } from './graph/graph-run';
import { OngoingRun } from './run/ongoing-run';
import { resultData, completeRecord } from './observers/result-data';
import type { RunEnvironment, VertexBudget } from './run/run-environment';
import { RunLifetime } from './run/run-lifetime';
import type { VertexRecord } from './run/vertex-record';

/**
 * Executes a plan for one run: once per input, each with a fresh state. Resolves to the complete response; rejects with
 * a RunError whose message is for the caller, or with a RunSuspension when the run waits for a person.
 */
export async function execute(
  plan: Plan,
  request: RunRequest,
  environment: RunEnvironment,
): Promise<RunResponse> {
  const results = await executeInputs<ResultData>(plan, request, environment, resultData);
  const outputs = results.map(({ input, values }) => ({
    inputs: input === null ? {} : { input_value: input.inputValue },
    outputs: values,
  }));
  const response: RunResponse = { session_id: request.sessionId, outputs };
  checkOutputSize(response, environment.limits.maximumOutputBytes);
  return response;
}

/**
 * Executes a plan as part of another run, for its last input. Resolves to the unconverted values of the selected
 * vertices. Rejects like `execute`.
 */
export async function executePart(
  plan: Plan,
  request: RunRequest,
  environment: RunEnvironment,
): Promise<readonly SubFlowOutput[]> {
  const results = await executeInputs<SubFlowOutput>(
    plan,
    request,
    environment,
    async (run, vertex, record) => {
      const { outputs } = await completeRecord(run, record);
      return { vertexId: vertex.id, displayName: vertex.displayName, values: Object.fromEntries(outputs) };
    },
  );
  return results.at(-1)?.values ?? [];
}

type ResultReader<Value> = (run: OngoingRun, vertex: PlanVertex, record: VertexRecord) => Promise<Value>;

interface InputResult<Value> {
  readonly input: RunInput | null;
  /** One value for each selected vertex that ran, in node order. */
  readonly values: readonly Value[];
}

async function executeInputs<Value>(
  plan: Plan,
  request: RunRequest,
  environment: RunEnvironment,
  readResult: ResultReader<Value>,
): Promise<readonly InputResult<Value>[]> {
  const problems = refusals(plan, request);
  if (problems.length > 0) throw refusalError(problems);
  const fieldVariables = await environment.fieldVariables?.();
  const lifetime = new RunLifetime(environment);
  const budget = environment.budget ?? { remaining: environment.limits.maximumVertices };
  const moment = environment.moment ?? new RunMoment();
  try {
    const results: InputResult<Value>[] = [];
    const inputs = request.inputs.length > 0 ? request.inputs : [null];
    for (const [index, input] of inputs.entries()) {
      const overrides = runOverrides(plan, request, input, fieldVariables);
      if (environment.part === undefined) refuseFaults(plan, request, overrides);
      const run = new OngoingRun(plan, request, environment, overrides, lifetime, moment.next());
      const path = index === 0 ? '' : `${index}/`;
      results.push({ input, values: await executeInput(run, budget, readResult, path) });
      if (index + 1 < inputs.length) await run.keepResults(completeRecord);
    }
    return results;
  } finally {
    lifetime.close();
  }
}

function refuseFaults(plan: Plan, request: RunRequest, overrides: RunOverrides): void {
  if (request.vertexEvents === true) refuseFileTweaks(plan, request.tweaks);
  else refuseTweakFaults(plan, overrides);
}

async function executeInput<Value>(
  run: OngoingRun,
  budget: VertexBudget,
  readResult: ResultReader<Value>,
  path: string,
): Promise<readonly Value[]> {
  try {
    const scope = { scope: run.plan.scope, moment: run.moment, path };
    const records = await new GraphRun(run, scope, budget).execute();
    const unfinished = run.finish();
    if (unfinished) await unfinished;
    const values: Value[] = [];
    for (const vertex of selectVertices(run.plan, run.request.outputs)) {
      const record = records[vertex.index];
      if (record === undefined) continue;
      values.push(await run.lifetime.within(readResult(run, vertex, record)));
    }
    return values;
  } catch (error) {
    if (error instanceof RunSuspension) await run.lifetime.within(run.keepResults(completeRecord));
    throw error;
  } finally {
    run.close();
  }
}

/** Returns the vertices whose results the caller selected, in node order, executed or not. */
export function selectVertices(plan: Plan, selection: OutputSelection): readonly PlanVertex[] {
  const { vertices } = plan;
  switch (selection.by) {
    case 'component':
      return vertices.filter((vertex) => isNamed(vertex, selection.component));
    case 'list':
      return selection.outputs.length === 0
        ? vertices.filter((vertex) => vertex.isOutput)
        : vertices.filter((vertex) => selection.outputs.some((output) => isNamed(vertex, output)));
    case 'type':
      return ofType(vertices, selection.type);
  }
}

function isNamed(vertex: PlanVertex, name: string): boolean {
  return vertex.id === name || vertex.displayName === name;
}

/**
 * As in Langflow: output vertices whose id contains the type, or every output vertex when none does. A Respond vertex,
 * which Langflow does not have, is always among them.
 */
function ofType(
  vertices: readonly PlanVertex[],
  type: 'chat' | 'text' | 'any' | 'debug',
): readonly PlanVertex[] {
  if (type === 'debug') return vertices;
  const outputs = vertices.filter((vertex) => vertex.isOutput);
  if (type === 'any') return outputs;
  const isMatching = (vertex: PlanVertex) => vertex.id.toLowerCase().includes(type);
  if (!outputs.some(isMatching)) return outputs;
  return outputs.filter((vertex) => isMatching(vertex) || vertex.component?.type === RESPOND_TYPE);
}

/** Throws when a response is larger than allowed, in bytes of JSON without its escapes. */
function checkOutputSize(answer: unknown, maximumBytes: number): void {
  if (!isJsonWithin(answer, maximumBytes)) {
    throw new RunError('output_too_large', `The response is larger than ${maximumBytes} bytes.`);
  }
}
