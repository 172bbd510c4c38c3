import { refusalError, refusals, runOverrides } from '@millrace/flow';
import type { Plan, ResultData, RunInput, RunOutputs, RunRequest, RunResponse } from '@millrace/flow';
import { GraphRun } from './graph-run';
import type { VertexBudget } from './graph-run';
import { OngoingRun } from './ongoing-run';
import { checkOutputSize } from './output-size';
import { resultData } from './result-data';
import type { RunEnvironment } from './run-environment';
import { RunLifetime } from './run-lifetime';
import { selectVertices } from './select-vertices';

/**
 * Executes a plan for one run: once per input, each with a fresh state. Resolves to the whole answer; rejects with a
 * RunError whose message is what the caller is told.
 */
export async function execute(
  plan: Plan,
  request: RunRequest,
  environment: RunEnvironment,
): Promise<RunResponse> {
  const problems = refusals(plan, request);
  if (problems.length > 0) throw refusalError(problems);
  const lifetime = new RunLifetime(environment);
  const budget: VertexBudget = { remaining: environment.limits.maximumVertices };
  try {
    const outputs: RunOutputs[] = [];
    for (const input of request.inputs.length > 0 ? request.inputs : [null]) {
      const run = new OngoingRun(plan, request, environment, runOverrides(plan, request, input), lifetime);
      outputs.push(await executeInput(run, input, budget));
    }
    const response: RunResponse = { session_id: request.sessionId, outputs };
    checkOutputSize(response, environment.limits.maximumOutputBytes);
    return response;
  } finally {
    lifetime.close();
  }
}

async function executeInput(
  run: OngoingRun,
  input: RunInput | null,
  budget: VertexBudget,
): Promise<RunOutputs> {
  try {
    const records = await new GraphRun(run, run.plan.scope, budget).execute();
    const outputs: ResultData[] = [];
    for (const vertex of selectVertices(run.plan, run.request.outputs)) {
      const record = records[vertex.index];
      if (record === undefined) continue;
      outputs.push(await run.lifetime.within(resultData(run, vertex, record)));
    }
    return { inputs: input === null ? {} : { input_value: input.inputValue }, outputs };
  } finally {
    run.close();
  }
}
