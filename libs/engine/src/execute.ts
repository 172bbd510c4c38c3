import { RunMoment, refusalError, refusals, runOverrides } from '@millrace/flow';
import type {
  Plan,
  PlanVertex,
  ResultData,
  RunInput,
  RunRequest,
  RunResponse,
  SubFlowOutput,
} from '@millrace/flow';
import { GraphRun } from './graph/graph-run';
import { OngoingRun } from './run/ongoing-run';
import { checkOutputSize } from './run/output-size';
import { resultData } from './observers/result-data';
import type { RunEnvironment, VertexBudget } from './run/run-environment';
import { RunLifetime } from './run/run-lifetime';
import { selectVertices } from './graph/select-vertices';
import type { VertexRecord } from './run/vertex-record';
import { completeRecord } from './observers/complete-record';

/**
 * Executes a plan for one run: once per input, each with a fresh state. Resolves to the complete response; rejects with
 * a RunError whose message is for the caller.
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
    for (const input of request.inputs.length > 0 ? request.inputs : [null]) {
      const overrides = runOverrides(plan, request, input, fieldVariables);
      const run = new OngoingRun(plan, request, environment, overrides, lifetime, moment.next());
      results.push({ input, values: await executeInput(run, budget, readResult) });
    }
    return results;
  } finally {
    lifetime.close();
  }
}

async function executeInput<Value>(
  run: OngoingRun,
  budget: VertexBudget,
  readResult: ResultReader<Value>,
): Promise<readonly Value[]> {
  try {
    const records = await new GraphRun(run, { scope: run.plan.scope, moment: run.moment }, budget).execute();
    const unfinished = run.finish();
    if (unfinished) await unfinished;
    const values: Value[] = [];
    for (const vertex of selectVertices(run.plan, run.request.outputs)) {
      const record = records[vertex.index];
      if (record === undefined) continue;
      values.push(await run.lifetime.within(readResult(run, vertex, record)));
    }
    return values;
  } finally {
    run.close();
  }
}
