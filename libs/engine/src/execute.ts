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
import { GraphRun } from './graph-run';
import { OngoingRun } from './ongoing-run';
import { checkOutputSize } from './output-size';
import { resultData } from './result-data';
import type { RunEnvironment, VertexBudget } from './run-environment';
import { RunLifetime } from './run-lifetime';
import { selectVertices } from './select-vertices';
import type { VertexRecord } from './vertex-record';
import { wholeRecord } from './whole-record';

/**
 * Executes a plan for one run: once per input, each with a fresh state. Resolves to the whole answer; rejects with a
 * RunError whose message is what the caller is told.
 */
export async function execute(
  plan: Plan,
  request: RunRequest,
  environment: RunEnvironment,
): Promise<RunResponse> {
  const results = await executeInputs<ResultData>(plan, request, environment, resultData);
  const outputs = results.map(({ input, given }) => ({
    inputs: input === null ? {} : { input_value: input.inputValue },
    outputs: given,
  }));
  const response: RunResponse = { session_id: request.sessionId, outputs };
  checkOutputSize(response, environment.limits.maximumOutputBytes);
  return response;
}

/**
 * Executes a plan as a part of another run, for its last input: gives the values of the selected vertices as they are.
 * Rejects like `execute`.
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
      const { outputs } = await wholeRecord(run, record);
      return { vertexId: vertex.id, displayName: vertex.displayName, values: Object.fromEntries(outputs) };
    },
  );
  return results.at(-1)?.given ?? [];
}

type Give<Given> = (run: OngoingRun, vertex: PlanVertex, record: VertexRecord) => Promise<Given>;

interface InputResult<Given> {
  readonly input: RunInput | null;
  /** Of each selected vertex that ran, in node order. */
  readonly given: readonly Given[];
}

async function executeInputs<Given>(
  plan: Plan,
  request: RunRequest,
  environment: RunEnvironment,
  give: Give<Given>,
): Promise<readonly InputResult<Given>[]> {
  const problems = refusals(plan, request);
  if (problems.length > 0) throw refusalError(problems);
  const lifetime = new RunLifetime(environment);
  const budget = environment.budget ?? { remaining: environment.limits.maximumVertices };
  const moment = environment.moment ?? new RunMoment();
  try {
    const results: InputResult<Given>[] = [];
    for (const input of request.inputs.length > 0 ? request.inputs : [null]) {
      const overrides = runOverrides(plan, request, input);
      const run = new OngoingRun(plan, request, environment, overrides, lifetime, moment.next());
      results.push({ input, given: await executeInput(run, budget, give) });
    }
    return results;
  } finally {
    lifetime.close();
  }
}

async function executeInput<Given>(
  run: OngoingRun,
  budget: VertexBudget,
  give: Give<Given>,
): Promise<readonly Given[]> {
  try {
    const records = await new GraphRun(run, { scope: run.plan.scope, moment: run.moment }, budget).execute();
    const unfinished = run.finish();
    if (unfinished) await unfinished;
    const given: Given[] = [];
    for (const vertex of selectVertices(run.plan, run.request.outputs)) {
      const record = records[vertex.index];
      if (record === undefined) continue;
      given.push(await run.lifetime.within(give(run, vertex, record)));
    }
    return given;
  } finally {
    run.close();
  }
}
